package step

import "time"

// Times for processing a document, without the time for loading its bytes and compiling an engine. A document that
// needs more is not tried again, because it takes as long the next time. Pauses of the process do not count; see
// engines.WithTime.
const (
	// DrawTime bounds what a file can do without: its pictures, and the properties of its document.
	DrawTime = 5 * time.Second
	// ReadTime bounds what a file requires: its text, or the picture of a file that is a picture.
	ReadTime = 45 * time.Second
	// AttemptTime bounds an attempt. It is longer than ReadTime, so that only an attempt that waits, for
	// example for the bucket, exceeds it. Such an attempt is repeated.
	AttemptTime = 90 * time.Second
	// ReadRate is the number of bytes of a PDF for which reading its text may take a second longer.
	ReadRate = 1 << 20
)
