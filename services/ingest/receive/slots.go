package receive

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
	// slotWait is the maximum time that an upload waits for a slot.
	slotWait = 15 * time.Second
	// slotRate is the average rate in bytes per second that an upload needs to keep its slot while
	// other uploads wait. It applies after the process has waited for the client for slotGrace in
	// total.
	slotRate  = 64 << 10
	slotGrace = 3 * time.Second
	// slotCheck is the interval between checks for slow uploads while others wait.
	slotCheck = 500 * time.Millisecond
)

// slots limits the number of uploads that stream concurrently. While uploads wait, the next free slot
// goes to the client and owner with the fewest slots, and slow uploads are aborted.
type slots struct {
	limiter *web.Limiter

	mu      sync.Mutex
	uploads map[*streamed]struct{}
}

func newSlots(n int) *slots {
	return &slots{limiter: web.NewLimiter(n, n), uploads: map[*streamed]struct{}{}}
}

// streamed is the body of an upload with a slot. It measures the rate of its client.
type streamed struct {
	io.ReadCloser
	setReadDeadline func(time.Time) error

	mu     sync.Mutex
	read   int64
	waited time.Duration // time spent in completed reads
	since  time.Time     // start of the current read; zero between reads
	ended  bool
	all    bool // the body has been read
}

// stream returns the body of r for an upload with a slot.
func stream(w http.ResponseWriter, r *http.Request) *streamed {
	return &streamed{ReadCloser: r.Body, setReadDeadline: http.NewResponseController(w).SetReadDeadline}
}

// Read returns web.ErrBodyStalled after the upload was aborted.
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
	s.all = s.all || err != nil
	if s.ended {
		return n, fmt.Errorf("%w: less than %d bytes per second while others wait", web.ErrBodyStalled, slotRate)
	}
	return n, err
}

// endIfSlow aborts the upload if its client is too slow to keep a slot. It must be called again if the
// read that it interrupts has not started yet. It does not abort an upload whose body has been read:
// net/http then reads ahead, and a deadline would cancel the request.
func (s *streamed) endIfSlow(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all && !s.ended {
		return
	}
	waited := s.waited
	if !s.since.IsZero() {
		waited += now.Sub(s.since)
	}
	if !s.ended && (waited < slotGrace || float64(s.read) >= slotRate*waited.Seconds()) {
		return
	}
	s.ended = true
	_ = s.setReadDeadline(now) // fails only if the connection is closed
}

// enter waits for a slot for an upload. The caller must call leave.
func (p *slots) enter(ctx context.Context, caller web.Caller, upload *streamed) (leave func(), err error) {
	free, err := caller.Enter(p.limiter, "streaming uploads")
	if err != nil {
		free, err = p.wait(ctx, caller)
	}
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.uploads[upload] = struct{}{}
	return func() {
		p.mu.Lock()
		delete(p.uploads, upload)
		p.mu.Unlock()
		free()
	}, nil
}

// wait aborts slow uploads while it waits for a slot.
func (p *slots) wait(ctx context.Context, caller web.Caller) (leave func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, slotWait,
		web.Unavailable("Too many uploads are streaming. Try again later, or reserve a presigned upload.", time.Second))
	var checking sync.WaitGroup
	checking.Go(func() {
		tick := time.NewTicker(slotCheck)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				p.endSlow(now)
			case <-ctx.Done():
				return
			}
		}
	})
	defer checking.Wait()
	defer cancel()
	return caller.Wait(ctx, p.limiter)
}

func (p *slots) endSlow(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for upload := range p.uploads {
		upload.endIfSlow(now)
	}
}
