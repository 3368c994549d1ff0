package system

import (
	"io"
	"strings"

	"github.com/assay-project/assay/services/assay/client"
)

// Repeated is a text of any size that takes little memory to produce and little time to count: a repeated block of
// words and many empty lines.
type Repeated struct {
	block string
	Size  int64 // bytes
}

// Repeat returns a text of about the given number of bytes, but at least one block of words.
func Repeat(seed uint64, size int64) Repeated {
	block := RandomText(seed, 2_000) + strings.Repeat("\n", 160_000)
	return Repeated{block, max(1, size/int64(len(block))) * int64(len(block))}
}

// ReadAt implements io.ReaderAt.
func (r Repeated) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < r.Size {
		within := int(off % int64(len(r.block)))
		some := copy(p[n:], r.block[within:])
		n, off = n+some, off+int64(some)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Count returns the expected result of the text, like the function Count.
func (r Repeated) Count() client.Result {
	result, times := Count(r.block), r.Size/int64(len(r.block))
	result.TotalWords *= times
	for i := range result.Top10Words {
		result.Top10Words[i].Count *= times
	}
	return result
}

// InParts returns a multipart upload of the text.
func (r Repeated) InParts(name, key string) client.Source {
	return client.Source{
		Reservation: client.Reservation{FileName: name, Size: r.Size, ContentType: "text/plain", Parts: true, Key: key}, Content: r,
	}
}
