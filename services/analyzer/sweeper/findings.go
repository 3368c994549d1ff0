package sweeper

// Codes of findings that may occur in any area, as used in reports, logs and metrics. An area may
// add its own codes.
const (
	LostMessage        = "lost_message"        // work without a message; the message is published again
	UnnotifiedOutcome  = "unnotified_outcome"  // an outcome; it is published again, and the stream drops a duplicate
	UnreadableItem     = "unreadable_item"     // a problem that an operator must resolve
	OrphanObject       = "orphan_object"       // an object that belongs to no item; deleted
	AbandonedUpload    = "abandoned_upload"    // a multipart upload that was not completed in time; aborted
	SuspiciousOrphan   = "suspicious_orphan"   // too many orphans; nothing is deleted
	InconsistentCopies = "inconsistent_copies" // rows of one item that differ; repaired from the first one
)
