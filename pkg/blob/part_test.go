package blob

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"
)

// counted returns a pool that counts the pieces it makes.
func counted(made *int) *sync.Pool {
	return &sync.Pool{New: func() any { *made++; return new([pieceSize]byte) }}
}

func randomBytes(size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // never fails
	return content
}

// TestPartReadsItsContent checks that a part can be read from any position, any number of times, and
// regardless of its earlier content.
func TestPartReadsItsContent(t *testing.T) {
	made := 0
	p := &part{from: counted(&made)}
	defer p.free()
	content := randomBytes(3*pieceSize + 7)
	for _, size := range []int{len(content), 0, 1, pieceSize - 1, pieceSize, pieceSize + 1, 2 * pieceSize} {
		last, err := p.fill(iotest.HalfReader(bytes.NewReader(content[:size])))
		if err != nil || !last || p.size != int64(size) {
			t.Fatalf("fill with %d bytes: got %d bytes, last = %t, error %v, want all bytes and last = true", size, p.size, last, err)
		}
		if err := iotest.TestReader(p, content[:size]); err != nil {
			t.Fatalf("reading %d bytes: %v", size, err)
		}
		for _, at := range []int{0, size / 2, size} {
			var got bytes.Buffer
			if _, err := p.Seek(int64(at), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			n, err := p.WriteTo(&got)
			if err != nil || n != int64(size-at) || !bytes.Equal(got.Bytes(), content[at:size]) {
				t.Fatalf("%d bytes from %d: WriteTo wrote %d, error %v, want %d of the same content", size, at, n, err, size-at)
			}
			if n, err := p.WriteTo(&got); n != 0 || err != nil {
				t.Fatalf("WriteTo at the end = %d, %v, want 0 and no error", n, err)
			}
		}
	}
	if made > 4 {
		t.Errorf("the part used %d pieces, want at most 4", made)
	}
}

// TestPartsAreFilledInOrder checks that a part is filled before the next one begins, and that
// refilling a part allocates no memory.
func TestPartsAreFilledInOrder(t *testing.T) {
	made := 0
	p := &part{from: counted(&made)}
	defer p.free()
	content := randomBytes(2*partSize + 1)
	body := bytes.NewReader(content)
	for _, size := range []int{partSize, partSize, 1} {
		last, err := p.fill(body)
		if err != nil || last != (size == 1) {
			t.Fatalf("fill with %d bytes: got last = %t, error %v, want last = %t", size, last, err, size == 1)
		}
		got, err := io.ReadAll(p)
		if err != nil || !bytes.Equal(got, content[:size]) {
			t.Fatalf("got %d bytes, error %v, want %d", len(got), err, size)
		}
		content = content[size:]
	}
	if made != partSize/pieceSize {
		t.Errorf("the part used %d pieces, want %d", made, partSize/pieceSize)
	}
}

// TestTruncatedBodyIsAnError checks that the bytes before the failure are not treated as a complete object.
func TestTruncatedBodyIsAnError(t *testing.T) {
	p := &part{from: newPieces()}
	defer p.free()
	broken := io.MultiReader(bytes.NewReader(randomBytes(10)), iotest.ErrReader(io.ErrUnexpectedEOF))
	if last, err := p.fill(broken); last || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got last = %t, error %v, want false and ErrUnexpectedEOF", last, err)
	}
}
