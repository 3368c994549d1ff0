package wordstats

import (
	"io"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// CountAhead is like Count, but a goroutine reads ahead while the previous buffers are counted, for
// texts that arrive over the network. A text that fits into the first buffer needs no goroutine.
// CountAhead does not read r after it returns.
func (l Limits) CountAhead(r io.Reader) (Statistics, error) {
	return l.count(func(c *counter) error {
		a := ahead{counter: c, text: r}
		defer a.stop()
		return c.countAll(a.next)
	})
}

const (
	// spareBuffers is the number of buffers in addition to the one that is being counted.
	spareBuffers = 8
	// spareTogether is the number of spare buffers that are returned together: waking the goroutine
	// for each one takes half as long as counting it.
	spareTogether = spareBuffers / 2
)

// ahead reads a text into the spare buffers of a counter, which consumes them in order.
type ahead struct {
	counter *counter
	text    io.Reader
	counted []*simd.Buffer
	spare   chan *simd.Buffer // empty buffers; nil without a goroutine; closing it ends the goroutine
	filled  chan filled       // closed when the goroutine has ended
}

type filled struct {
	buffer *simd.Buffer
	bytes  int
	err    error
}

// next reads the next bytes into the buffer, as required by countAll.
func (a *ahead) next(left []byte) (int, error) {
	c := a.counter
	if a.spare == nil {
		n, err := c.fill(a.text, left)
		if err == nil {
			a.start()
		}
		return n, err
	}
	f := <-a.filled
	rethrow(f.err)
	copy(f.buffer[maxSegment-len(left):], left)
	a.counted = append(a.counted, c.buffer)
	c.buffer = f.buffer
	if len(a.counted) == spareTogether {
		for _, b := range a.counted {
			a.spare <- b
		}
		a.counted = a.counted[:0]
	}
	return f.bytes, f.err
}

func (a *ahead) start() {
	a.counted = make([]*simd.Buffer, 0, spareTogether)
	a.spare, a.filled = make(chan *simd.Buffer, spareBuffers), make(chan filled, spareBuffers)
	for range spareBuffers {
		a.spare <- new(simd.Buffer)
	}
	go func() {
		defer close(a.filled)
		for b := range a.spare {
			f := filled{buffer: b}
			f.err = catch(func() (err error) {
				f.bytes, err = fill(a.text, b[maxSegment:simd.BufferSize])
				return err
			})
			a.filled <- f
			if f.err != nil {
				return
			}
		}
	}()
}

// stop ends the goroutine and waits for its read in progress.
func (a *ahead) stop() {
	if a.spare == nil {
		return
	}
	close(a.spare)
	for range a.filled {
	}
}
