package wordstats

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	pieceSize = 256 * 1024 // bytes that a counter takes at once
	// pieceTail is how far back from the end of a piece a place to cut is looked for.
	pieceTail = 8 * 1024
)

// CountParallel is Count with so many counters at work at once, each on pieces of
// the text as they come. Each keeps a vocabulary within the limits, and at the end
// these become one. It pays for texts of some megabytes and more.
func (l Limits) CountParallel(r io.Reader, counters int) (Statistics, error) {
	if counters <= 1 {
		return l.Count(r)
	}
	c := &cutter{
		pieces: make(chan piece, counters),
		free:   make(chan []byte, 2*counters+1),
		stop:   make(chan struct{}),
	}
	for range cap(c.free) {
		c.free <- make([]byte, pieceSize)
	}
	var work sync.WaitGroup
	var stopOnce sync.Once
	workers := make([]*counter, counters)
	failures := make([]error, counters)
	for i := range workers {
		workers[i] = newCounter()
		workers[i].reset(l)
		work.Go(func() {
			if failures[i] = workers[i].countAll(&pieceReader{pieces: c.pieces, free: c.free}); failures[i] != nil {
				stopOnce.Do(func() { close(c.stop) })
			}
		})
	}
	err := c.cut(r)
	work.Wait()
	for _, err := range append(failures, err) {
		if err != nil {
			return Statistics{}, err
		}
	}
	for _, w := range workers[1:] {
		if err := workers[0].vocabulary.merge(&w.vocabulary); err != nil {
			return Statistics{}, err
		}
	}
	return workers[0].vocabulary.statistics(), nil
}

// piece is a part of a text between two boundaries of segments. One without a safe
// place to cut goes on in rest, which is nil otherwise.
type piece struct {
	data []byte
	rest chan []byte
}

// cutter cuts a text into pieces.
type cutter struct {
	pieces chan piece
	free   chan []byte   // of pieceSize each: what pieces are read into
	stop   chan struct{} // closed when a counter has failed
	rest   chan []byte   // of the last piece, while it goes on
}

// cut reads r to its end and sends its pieces, until stop is closed. It closes pieces.
func (c *cutter) cut(r io.Reader) error {
	defer close(c.pieces)
	defer c.endRest()
	kept := make([]byte, 0, pieceTail) // what was read and is behind the last cut
	for {
		var data []byte
		select {
		case data = <-c.free:
		case <-c.stop:
			return nil
		}
		n := copy(data, kept)
		read, err := io.ReadFull(r, data[n:])
		data = data[:n+read]
		atEOF := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !atEOF {
			return fmt.Errorf("reading the text: %w", err)
		}
		at, safe := len(data), true
		if !atEOF {
			at, safe = safeCut(data)
		}
		kept = append(kept[:0], data[at:]...)
		if !c.send(data[:at], safe) || atEOF {
			return nil
		}
	}
}

// send sends data as a piece or as the rest of one, which goes on after data if
// that does not end in a safe place. It reports false when a counter has failed.
func (c *cutter) send(data []byte, safe bool) bool {
	if c.rest != nil {
		select {
		case c.rest <- data:
		case <-c.stop:
			return false
		}
		if safe {
			c.endRest()
		}
		return true
	}
	p := piece{data: data}
	if !safe {
		p.rest = make(chan []byte)
		c.rest = p.rest
	}
	select {
	case c.pieces <- p:
		return true
	case <-c.stop:
		return false
	}
}

func (c *cutter) endRest() {
	if c.rest != nil {
		close(c.rest)
		c.rest = nil
	}
}

// safeCut returns the last place near the end of data where a segment begins that
// begins one after any piece: behind a space or a line feed, before what is
// neither a mark nor a space. Without such a place it returns the length of data
// and false.
func safeCut(data []byte) (int, bool) {
	for i := len(data) - 1; i > max(0, len(data)-pieceTail); i-- {
		if (data[i-1] == ' ' || data[i-1] == '\n') && beginsNoMark(data[i]) {
			return i, true
		}
	}
	return len(data), false
}

// pieceReader reads pieces one after another, each with its rest.
type pieceReader struct {
	pieces <-chan piece
	free   chan<- []byte // has room for all
	data   []byte        // what is read now
	read   int           // bytes of it that were read
	rest   <-chan []byte
}

func (p *pieceReader) Read(b []byte) (int, error) {
	for p.read == len(p.data) {
		if p.data != nil {
			p.free <- p.data[:pieceSize]
			p.data, p.read = nil, 0
		}
		if p.rest != nil {
			data, ok := <-p.rest
			if !ok {
				p.rest = nil
				continue
			}
			p.data = data
			continue
		}
		next, ok := <-p.pieces
		if !ok {
			return 0, io.EOF
		}
		p.data, p.rest = next.data, next.rest
	}
	n := copy(b, p.data[p.read:])
	p.read += n
	return n, nil
}
