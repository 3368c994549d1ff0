package textfile

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

const (
	// placeWait is how long an upload waits for a place to stream.
	placeWait = 15 * time.Second
	// placeRate is the bytes a second that an upload must reach on average to
	// keep its place while others wait for one, once its client has been waited
	// for placeGrace.
	placeRate  = 64 << 10
	placeGrace = 3 * time.Second
	// placeCheck is how often waiting uploads look for one to end.
	placeCheck = 500 * time.Millisecond
)

// places bounds the uploads that stream at once. While uploads wait, the next
// free place goes to the client with the fewest, and slow uploads are ended.
type places struct {
	mu      sync.Mutex
	free    int
	held    map[string]int // by client
	uploads map[*streamed]struct{}
	waiting []*waiter // in order of arrival
}

type waiter struct {
	client string
	turn   chan struct{} // closed when the place is the waiter's
}

func newPlaces(n int) *places {
	return &places{free: n, held: map[string]int{}, uploads: map[*streamed]struct{}{}}
}

// streamed is the body of an upload with a place. It measures how fast its
// client sends.
type streamed struct {
	io.ReadCloser
	setReadDeadline func(time.Time) error

	mu     sync.Mutex
	read   int64
	waited time.Duration // in the reads that have ended
	since  time.Time     // when the current read began; zero between reads
	ended  bool
}

// stream returns the body of r as one that can hold a place.
func stream(w http.ResponseWriter, r *http.Request) *streamed {
	return &streamed{ReadCloser: r.Body, setReadDeadline: http.NewResponseController(w).SetReadDeadline}
}

// Read returns web.ErrBodyStalled once the upload is ended.
func (s *streamed) Read(p []byte) (int, error) {
	s.mu.Lock()
	ended := s.ended
	s.since = time.Now()
	s.mu.Unlock()
	var n int
	var err error
	if !ended {
		n, err = s.ReadCloser.Read(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited += time.Since(s.since)
	s.since = time.Time{}
	s.read += int64(n)
	if s.ended {
		return n, fmt.Errorf("%w: less than %d bytes per second while others wait", web.ErrBodyStalled, placeRate)
	}
	return n, err
}

// endIfSlow ends the upload if its client is too slow to keep a place. It can
// be called again where the read that it interrupts had not begun.
func (s *streamed) endIfSlow(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waited := s.waited
	if !s.since.IsZero() {
		waited += now.Sub(s.since)
	}
	if !s.ended && (waited < placeGrace || float64(s.read) >= placeRate*waited.Seconds()) {
		return
	}
	s.ended = true
	_ = s.setReadDeadline(now) // fails only when the connection is gone
}

// enter waits for a place for a client's upload. The caller calls leave.
func (p *places) enter(ctx context.Context, client string, upload *streamed) (leave func(), err error) {
	p.mu.Lock()
	if p.free > 0 {
		p.take(client)
		p.uploads[upload] = struct{}{}
		p.mu.Unlock()
		return func() { p.leave(client, upload) }, nil
	}
	w := &waiter{client: client, turn: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()

	full := time.NewTimer(placeWait)
	defer full.Stop()
	check := time.NewTicker(placeCheck)
	defer check.Stop()
	for {
		select {
		case <-w.turn:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.uploads[upload] = struct{}{}
			return func() { p.leave(client, upload) }, nil
		case now := <-check.C:
			p.endSlow(now)
		case <-ctx.Done():
			return nil, p.giveUp(w, ctx.Err())
		case <-full.C:
			return nil, p.giveUp(w, web.Unavailable("Too many uploads are streaming. Try again, or reserve a presigned upload.", time.Second))
		}
	}
}

func (p *places) take(client string) {
	p.free--
	p.held[client]++
}

func (p *places) leave(client string, upload *streamed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.uploads, upload)
	p.release(client)
}

// release frees a place of a client and gives it to the next waiter.
func (p *places) release(client string) {
	p.free++
	if p.held[client]--; p.held[client] == 0 {
		delete(p.held, client)
	}
	if len(p.waiting) == 0 {
		return
	}
	next := 0
	for i, w := range p.waiting {
		if p.held[w.client] < p.held[p.waiting[next].client] {
			next = i
		}
	}
	w := p.waiting[next]
	p.waiting = append(p.waiting[:next], p.waiting[next+1:]...)
	p.take(w.client)
	close(w.turn)
}

// giveUp removes a waiter, or frees the place that it was given meanwhile, and
// returns err.
func (p *places) giveUp(w *waiter, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return err
		}
	}
	p.release(w.client)
	return err
}

func (p *places) endSlow(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for upload := range p.uploads {
		upload.endIfSlow(now)
	}
}
