package sweeper

// Codes of findings that any area may have, as reports, logs and metrics show them.
// An area adds its own codes.
const (
	LostMessage        = "lost_message"        // work without a message; the message is published again
	UnnotifiedOutcome  = "unnotified_outcome"  // an outcome that is published again; the stream drops a duplicate
	UnreadableItem     = "unreadable_item"     // left for an operator
	OrphanObject       = "orphan_object"       // an object that belongs to no item; deleted
	AbandonedUpload    = "abandoned_upload"    // an upload in parts that was not completed in time; aborted
	SuspiciousOrphan   = "suspicious_orphan"   // there are too many orphans; not deleted
	InconsistentCopies = "inconsistent_copies" // rows of one item that differ; repaired from the first
)
