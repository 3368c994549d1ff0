package sweeper

// Codes of findings that can occur in any area, as used in reports, logs and metrics. An area may
// add its own codes.
const (
	LostMessage        = "lost_message"        // work without a message; published again
	UnnotifiedOutcome  = "unnotified_outcome"  // an outcome that may be lost; published again, and the stream drops duplicates
	UnreadableItem     = "unreadable_item"     // an item that cannot be read; an operator must resolve the problem
	OrphanObject       = "orphan_object"       // an object that belongs to no item; deleted
	AbandonedUpload    = "abandoned_upload"    // a multipart upload that was not completed in time; aborted
	SuspiciousOrphan   = "suspicious_orphan"   // too many orphans; none is deleted until an operator allows it
	InconsistentCopies = "inconsistent_copies" // rows of one item that differ; repaired from the first one
)

// codes returns the codes above and those of quotas and tags.
func codes() []string {
	return []string{
		LostMessage, UnnotifiedOutcome, UnreadableItem, OrphanObject, AbandonedUpload, SuspiciousOrphan, InconsistentCopies, uncountedItem, countedNothing, tagsWithoutItem,
	}
}
