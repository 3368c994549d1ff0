package plaintext

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLargeReads compares reads that bypass the buffer with small ones, for texts whose
// first non-ASCII byte is at the beginning, at the end or within such reads.
func TestLargeReads(t *testing.T) {
	plain := strings.Repeat("Plain words, again and again.\n", 10_000)
	broken := errors.New("connection lost")
	readers := map[string]func(text io.Reader) (io.Reader, error){
		"one reader": func(text io.Reader) (io.Reader, error) { return newReader(text, "") },
		"part": func(text io.Reader) (io.Reader, error) {
			parts, err := NewParts([]byte(plain[:HeadSize]), "")
			if err != nil {
				return nil, err
			}
			return parts.Part(io.NopCloser(text)), nil
		},
	}
	for _, at := range []int{startSize, startSize + bufferSize - 1, startSize + bufferSize, 3*bufferSize + 7, 4 * bufferSize, len(plain) - 1} {
		for _, beyond := range []string{"", "ö", "\xF6", "ö\xF6"} {
			for name, open := range readers {
				text := plain[:at] + beyond + plain[at:]
				read := func(size int, source io.Reader) (string, error) {
					r, err := open(io.MultiReader(source, iotest.ErrReader(broken)))
					if err != nil {
						t.Fatal(err)
					}
					return readBy(r, size)
				}
				want, wantErr := read(1000, strings.NewReader(text))
				if !strings.Contains(beyond, "\xF6") && !errors.Is(wantErr, broken) {
					t.Fatalf("%s, small reads: got error %v, want %v", name, wantErr, broken)
				}
				for _, size := range []int{bufferSize, bufferSize + 1, 2*bufferSize - 1, 1 << 20} {
					for how, source := range map[string]io.Reader{"": strings.NewReader(text), " in halves": iotest.HalfReader(strings.NewReader(text))} {
						got, err := read(size, source)
						if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
							t.Errorf("%s, %q at %d, reads of %d bytes%s: got %d bytes, %v; want %d bytes, %v", name, beyond, at, size, how, len(got), err, len(want), wantErr)
						}
					}
				}
			}
		}
	}
}

// readBy reads until an error, size bytes at a time.
func readBy(r io.Reader, size int) (string, error) {
	var all strings.Builder
	b := make([]byte, size)
	for {
		n, err := r.Read(b)
		all.Write(b[:n])
		if err != nil {
			return all.String(), err
		}
	}
}
