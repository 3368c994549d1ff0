package records

import (
	"bufio"
	"bytes"
	"io"
)

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// WithoutMark returns the beginning of a file without its byte order mark.
func WithoutMark(head []byte) []byte { return bytes.TrimPrefix(head, []byte(byteOrderMark)) }

// lineFeedsBuffer is the size of the buffer of LineFeeds, in bytes.
const lineFeedsBuffer = 64 << 10

// LineFeeds returns a buffered reader of a text. If the lines of the text end in carriage returns alone, as those of old
// Macs do, it reads them as line feeds, so that offsets stay the same: that is so if the first 64 KiB contain carriage
// returns and no line feed.
func LineFeeds(r io.Reader) *bufio.Reader {
	b := bufio.NewReaderSize(r, lineFeedsBuffer)
	head, _ := b.Peek(lineFeedsBuffer) // an error is returned by the next read
	if bytes.IndexByte(head, '\n') >= 0 || bytes.IndexByte(head, '\r') < 0 {
		return b
	}
	return bufio.NewReaderSize(returns{b}, lineFeedsBuffer)
}

// returns reads carriage returns as line feeds.
type returns struct{ io.Reader }

func (r returns) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	for i := range b[:n] {
		if b[i] == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}
