package wordstats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

const filling = simd.BufferSize - maxSegment // size of one read

func TestCountAheadEqualsCount(t *testing.T) {
	mixed := strings.Repeat(strings.Join(samples, " "), 1+12*filling/len(strings.Join(samples, " ")))
	for _, size := range []int{0, 1, filling - 1, filling, filling + 1, 2 * filling, 5*filling - 1, 9 * filling, 9*filling + 1, len(mixed)} {
		text := mixed[:size]
		want, err := Count(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "in halves": iotest.HalfReader(strings.NewReader(text)), "end with data": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := Limits{}.CountAhead(r)
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, text, got, want, "count ahead, "+name)
		}
	}
}

// watched is a text that records its reads.
type watched struct {
	io.Reader
	bytes   atomic.Int64
	reading atomic.Bool
	panics  int64 // fails after this many bytes; 0 means never
}

func (w *watched) Read(p []byte) (int, error) {
	w.reading.Store(true)
	defer w.reading.Store(false)
	if w.panics > 0 && w.bytes.Load() >= w.panics {
		panic("a broken decoder")
	}
	n, err := w.Reader.Read(p)
	w.bytes.Add(int64(n))
	return n, err
}

// TestReadAheadIsBounded waits until all spare buffers are filled while none is consumed.
func TestReadAheadIsBounded(t *testing.T) {
	text := watched{Reader: strings.NewReader(strings.Repeat("word ", 4*filling))}
	c := newCounter()
	c.reset(Limits{})
	a := ahead{counter: c, text: &text}
	if n, err := a.next(nil); n != filling || err != nil {
		t.Fatalf("got a first buffer of %d bytes, %v, want %d bytes", n, err, filling)
	}
	held := []filled{}
	for range spareBuffers {
		held = append(held, <-a.filled)
	}
	a.stop()
	if got, want := text.bytes.Load(), int64((1+spareBuffers)*filling); got != want || held[spareBuffers-1].bytes != filling {
		t.Errorf("got %d bytes read, want %d", got, want)
	}
}

func TestSmallTextIsNotReadAhead(t *testing.T) {
	c := newCounter()
	c.reset(Limits{})
	a := ahead{counter: c, text: strings.NewReader(strings.Repeat("word ", filling/5))}
	if err := c.countAll(a.next); err != nil || a.spare != nil {
		t.Errorf("got error %v, a goroutine %t, want neither", err, a.spare != nil)
	}
}

func TestCountAheadErrors(t *testing.T) {
	for _, broken := range []error{errors.New("connection lost"), io.ErrUnexpectedEOF, context.Canceled} {
		for _, bytes := range []int{0, 10, filling, 200_000, 20 * filling} {
			_, err := Limits{}.CountAhead(iotest.DataErrReader(&failing{left: bytes, err: broken}))
			if !errors.Is(err, broken) {
				t.Errorf("after %d bytes: got error %v, want %v", bytes, err, broken)
			}
		}
	}
	var words strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&words, "word%d ", i)
	}
	for _, limit := range []int64{1, 20_000, 200_000} {
		text := watched{Reader: strings.NewReader(words.String())}
		_, err := Limits{Vocabulary: limit}.CountAhead(&text)
		if _, ok := errors.AsType[*VocabularyError](err); !ok {
			t.Errorf("with a limit of %d bytes: got %v, want a VocabularyError", limit, err)
		}
		if text.reading.Load() {
			t.Error("got a read in progress after the count, want none")
		}
	}
}

// TestPanicsPropagateToCaller checks that a panic in a reader, in a goroutine of this package, reaches the
// caller.
func TestPanicsPropagateToCaller(t *testing.T) {
	text := strings.Repeat("word ", 4*filling)
	broken := func() io.ReadCloser {
		return io.NopCloser(&watched{Reader: strings.NewReader(text), panics: 2 * filling})
	}
	for name, count := range map[string]func() error{
		"ahead": func() error {
			_, err := Limits{}.CountAhead(broken())
			return err
		},
		"parts": func() error {
			_, err := Limits{}.CountParts(t.Context(), Parts{
				Size: int64(len(text)), PartSize: int64(len(text)) / 2, Readers: 2,
				From: func(context.Context, int64, int64) io.ReadCloser { return broken() },
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != "a broken decoder" {
					t.Errorf("recovered %v, want a broken decoder", p)
				}
			}()
			t.Errorf("got %v, want a panic", count())
		})
	}
}
