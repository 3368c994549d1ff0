package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Admission. The stream refuses what goes beyond its bound; but then the bytes are
// stored already, and whoever tries most often gets the places that come free. So
// work is refused before its bytes are taken in; and when the stream is nearly full
// only the first few items of an owner still come in, so that those who fill it do
// not keep the others out.

// ErrSilent says that the stream of work did not tell how full it is.
var ErrSilent = errors.New("the stream of work does not answer")

const (
	// crowdedFrom is how full the stream is, as a part of its bound, when it takes
	// no more than the first few items of an owner.
	crowdedFrom = 0.9
	// lookAge is how old the look at an empty stream may be; at a fuller one
	// accordingly less, so that what comes in meanwhile does not fill it, but
	// lookLeast at least, as after a look that failed.
	lookAge   = time.Second
	lookLeast = 50 * time.Millisecond
	lookTime  = 5 * time.Second
)

// fill is how full the stream of work is, by the last look at it.
type fill struct {
	look func(context.Context) (part float64, first uint64, err error)

	mu      sync.Mutex
	looking bool
	next    time.Time // when the look is too old
	seen    time.Time // when it was made
	was     float64
	first   uint64 // sequence that the stream keeps
	err     error
}

// from is the first sequence that the stream kept at the last look.
func (f *fill) from() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// kept is from, by a look that is no older than lookLeast, unless another is under way.
func (f *fill) kept(ctx context.Context) uint64 {
	f.mu.Lock()
	if time.Since(f.seen) > lookLeast {
		f.next = time.Time{}
	}
	f.mu.Unlock()
	_, _ = f.now(ctx) // where it cannot be told, what was seen last holds
	return f.from()
}

// now is the part of the bound that waits, 0 where there is no bound. One caller
// looks when that is due; the others go by what was seen last and wait for nobody.
func (f *fill) now(ctx context.Context) (float64, error) {
	f.mu.Lock()
	if f.looking || time.Now().Before(f.next) {
		defer f.mu.Unlock()
		return f.was, f.err
	}
	f.looking = true
	f.mu.Unlock()
	// What it sees is for others too, whose client has not gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	was, first, err := f.look(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = time.Now()
	f.looking, f.err, f.next = false, err, f.seen.Add(lookLeast)
	if err == nil {
		f.was, f.first, f.next = was, first, f.seen.Add(max(lookLeast, time.Duration(float64(lookAge)*(1-was))))
	}
	return f.was, f.err
}

// Admit says whether work of a flow may come in, as far as is known without asking:
// it returns ErrFull, ErrFlowFull, or ErrSilent. For the empty flow, whose work is
// not known yet, it says whether any may.
func (b *Bus) Admit(ctx context.Context, flow string) error {
	token := flowToken(flow)
	full, err := b.fill.now(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrSilent, err)
	case full >= 1, full >= crowdedFrom && b.flows.waits(token, laneEnds[0]):
		return ErrFull
	case b.cfg.WorkMaxPerOwner > 0 && b.flows.waits(token, b.cfg.WorkMaxPerOwner):
		return ErrFlowFull
	}
	return nil
}

// filled asks the server how full the stream of work is, and for the first sequence in it.
func (b *Bus) filled(ctx context.Context) (part float64, first uint64, err error) {
	ctx, settle := b.permitted(ctx, StreamWork)
	defer settle(&err)
	work, err := b.js.Stream(ctx, StreamWork)
	if err != nil {
		return 0, 0, fmt.Errorf("stream %s: %w", StreamWork, err)
	}
	info := work.CachedInfo()
	if info.Config.MaxMsgs <= 0 {
		return 0, info.State.FirstSeq, nil
	}
	return float64(info.State.Msgs) / float64(info.Config.MaxMsgs), info.State.FirstSeq, nil
}
