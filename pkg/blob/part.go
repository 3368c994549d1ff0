package blob

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	// partSize is the size in bytes of the buffer for one part of a streamed upload.
	partSize = MinPart
	// pieceSize divides partSize. Pieces fit into gaps of the heap; allocating an entire part
	// would make the heap grow.
	pieceSize = 32 << 10
)

// newPieces returns a pool of unused pieces.
func newPieces() *sync.Pool {
	return &sync.Pool{New: func() any { return new([pieceSize]byte) }}
}

// part holds the content of one request, which may be sent more than once.
type part struct {
	from   *sync.Pool
	pieces []*[pieceSize]byte
	size   int64
	at     int64 // offset of the next read
}

// fill replaces the content of the part with the next bytes of body, and reports whether they are
// the last. It takes pieces from the pool as needed.
func (p *part) fill(body io.Reader) (last bool, err error) {
	for p.size, p.at = 0, 0; p.size < partSize; {
		piece, within := int(p.size/pieceSize), p.size%pieceSize
		if piece == len(p.pieces) {
			p.pieces = append(p.pieces, p.from.Get().(*[pieceSize]byte))
		}
		n, err := body.Read(p.pieces[piece][within:])
		p.size += int64(n)
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// free returns the pieces to the pool. The SDK no longer reads the part, because it closes the body
// of a request before it returns.
func (p *part) free() {
	for _, piece := range p.pieces {
		p.from.Put(piece)
	}
	*p = part{from: p.from}
}

// Read implements io.Reader.
func (p *part) Read(b []byte) (n int, err error) {
	if p.at >= p.size {
		return 0, io.EOF
	}
	n = copy(b, p.next())
	p.at += int64(n)
	return n, nil
}

// WriteTo implements io.WriterTo. Without it io.Copy allocates a buffer of 32
// KiB to compute a checksum.
func (p *part) WriteTo(w io.Writer) (written int64, err error) {
	for p.at < p.size && err == nil {
		var n int
		n, err = w.Write(p.next())
		p.at += int64(n)
		written += int64(n)
	}
	return written, err
}

// next returns the unread rest of a piece. The part must not be at its end.
func (p *part) next() []byte {
	piece, within := p.at/pieceSize, p.at%pieceSize
	return p.pieces[piece][within:min(pieceSize, p.size-piece*pieceSize)]
}

// Seek implements io.Seeker.
func (p *part) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += p.at
	case io.SeekEnd:
		offset += p.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek to %d, before the start of the part", offset)
	}
	p.at = offset
	return offset, nil
}
