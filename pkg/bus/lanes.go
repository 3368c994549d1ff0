package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// Fair order. A stream hands out in the order that it took in, so that an item
// behind ten thousand of another owner would wait for all of them. Work is
// therefore kept in lanes: an owner's first few waiting items are in the first
// lane, the next some dozens in the second, and so on, and workers go to all
// lanes in turn, more often to the earlier ones. Whatever an owner floods the
// stream with, only its first few items are before those of others.
//
// The lane and a hash of the owner stand in the subject under which the stream
// keeps a message, assay-work.<lane>.<flow>.file.uploaded.<fileId>. The server
// republishes it under its own, assay.file.uploaded.<fileId>, for whoever listens.

// laneEnds is how many items of one owner wait in a lane and those before it; the
// last lane takes the rest.
var laneEnds = [lanes - 1]int64{8, 64, 512}

const lanes = 4

// turns is the order in which workers go to the lanes.
var turns = [8]int{0, 1, 0, 2, 0, 1, 0, 3}

const (
	workPrefix   = "assay-work."
	publicPrefix = "assay."
	// headerFlow says whose work a message is, for its replay.
	headerFlow = "assay-flow"
)

// ErrFlowFull says that as much work of one owner waits as may.
var ErrFlowFull = errors.New("too much work of one owner waits")

// isWork says whether the stream of work keeps what is published on subject.
func isWork(subject string) bool {
	for _, area := range event.WorkSubjects() {
		if strings.HasPrefix(subject, strings.TrimSuffix(area, ">")) {
			return true
		}
	}
	return false
}

// flowToken is a flow as a token of a subject.
func flowToken(flow string) string {
	sum := sha256.Sum256([]byte(flow))
	return hex.EncodeToString(sum[:8])
}

// kept is the subject under which the stream of work keeps a message of subject;
// lane and flow may be "*".
func kept(lane, flow, subject string) string {
	return workPrefix + lane + "." + flow + "." + strings.TrimPrefix(subject, publicPrefix)
}

// public is the opposite of kept. Other subjects stay as they are.
func public(subject string) string {
	if rest, ok := strings.CutPrefix(subject, workPrefix); ok {
		if parts := strings.SplitN(rest, ".", 3); len(parts) == 3 {
			return publicPrefix + parts[2]
		}
	}
	return subject
}

// queue publishes work in the lane of its flow. The server takes it only if it
// keeps none of the same item, in whatever lane.
func (b *Bus) queue(ctx context.Context, msg *nats.Msg, id, kind, flow string) error {
	token := flowToken(flow)
	lane, err := b.flows.join(ctx, token)
	if err == nil && lane > 0 {
		// Where it is not known, the stream itself refuses.
		if part, silent := b.fill.now(ctx); silent == nil && part >= crowdedFrom {
			err = ErrFull
		}
	}
	if err != nil {
		b.metrics.published.WithLabelValues(kind, "refused").Inc()
		return fmt.Errorf("publish %s: %w", id, err)
	}
	item := kept("*", token, msg.Subject)
	msg.Subject = kept(fmt.Sprint(lane), token, msg.Subject)
	msg.Header[headerFlow] = []string{flow}
	msg.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{"0"}
	msg.Header["Nats-Expected-Last-Subject-Sequence-Subject"] = []string{item}
	err = b.send(ctx, msg, id, kind)
	if errors.Is(err, ErrOutstanding) && b.holds(ctx, item, id) {
		return nil // a try of ours whose answer was lost
	}
	return err
}

// holds says whether the stream of work keeps the message of this id for an item.
func (b *Bus) holds(ctx context.Context, item, id string) bool {
	work, err := b.js.Stream(ctx, StreamWork)
	if err != nil {
		return false
	}
	msg, err := work.GetLastMsgForSubject(ctx, item)
	return err == nil && msg.Header.Get(jetstream.MsgIDHeader) == id
}

// flows estimates how much work of each flow waits. A process counts what it
// publishes itself and asks the server when that would change the lane, so that
// those who publish little cost no request.
type flows struct {
	count func(ctx context.Context, token string) (int64, error)
	most  int64 // 0 bounds nothing

	mu    sync.Mutex
	known map[string]*flowCount
}

type flowCount struct {
	waiting int64
	asked   time.Time
	asking  chan struct{} // closed when the server has answered; nil while nobody asks
	told    time.Time     // when it answered last
	used    time.Time
}

const (
	// askPause and askPausePer bound the looks: the server names every subject of
	// the flow in its answer, 80 bytes each.
	askPause    = 20 * time.Millisecond
	askPausePer = 100 * time.Microsecond
	// countAge is how old a count is that no more decides about a lane while another
	// look is under way: what it counted may long be done.
	countAge = 250 * time.Millisecond
	// mostFlows is how many flows are kept in mind, each of some 200 bytes.
	mostFlows    = 10_000
	flowIsQuiet  = time.Minute
	askLongest   = 3 * time.Second
	pauseLongest = 5 * time.Second
)

// join counts one more message of a flow and returns its lane. It returns
// ErrFlowFull.
func (f *flows) join(ctx context.Context, token string) (int, error) {
	now := time.Now()
	f.mu.Lock()
	c := f.of(token, now)
	many := c.waiting >= laneEnds[0] || f.most > 0 && c.waiting >= f.most
	asking, old := c.asking, now.Sub(c.told) > countAge
	ask := many && asking == nil && now.Sub(c.asked) >= min(askPause+time.Duration(c.waiting)*askPausePer, pauseLongest)
	if ask {
		c.asked, c.asking = now, make(chan struct{})
	}
	f.mu.Unlock()
	switch {
	case ask:
		f.ask(ctx, token, c)
	case many && old && asking != nil:
		select {
		case <-asking:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.most > 0 && c.waiting >= f.most {
		return 0, ErrFlowFull
	}
	lane := 0
	for lane < lanes-1 && c.waiting >= laneEnds[lane] {
		lane++
	}
	c.waiting++
	return lane, nil
}

// ask brings a count to what the server says. Where it cannot be told, the own count
// holds.
func (f *flows) ask(ctx context.Context, token string, c *flowCount) {
	ctx, cancel := context.WithTimeout(ctx, askLongest)
	defer cancel()
	f.mu.Lock()
	before := c.waiting
	f.mu.Unlock()
	there, err := f.count(ctx, token)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		c.waiting, c.told = there+max(0, c.waiting-before), time.Now()
	}
	close(c.asking)
	c.asking = nil
}

// waits says whether as many messages of a flow wait. When its count is old it says
// no, so that join asks.
func (f *flows) waits(token string, least int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.known[token]
	return c != nil && c.waiting >= least && time.Since(c.asked) < pauseLongest
}

// of returns the count of a flow. It forgets the quiet ones when there are too many.
func (f *flows) of(token string, now time.Time) *flowCount {
	c := f.known[token]
	if c == nil {
		if len(f.known) >= mostFlows {
			for other, o := range f.known {
				if now.Sub(o.used) > flowIsQuiet {
					delete(f.known, other)
				}
			}
			if len(f.known) >= mostFlows {
				clear(f.known)
			}
		}
		c = &flowCount{}
		f.known[token] = c
	}
	c.used = now
	return c
}

// waiting asks the server how much work of a flow it keeps.
func (b *Bus) waiting(ctx context.Context, token string) (int64, error) {
	work := b.work.Load()
	if work == nil { // to look it up is a request, too
		found, err := b.js.Stream(ctx, StreamWork)
		if err != nil {
			return 0, err
		}
		work = &found
		b.work.Store(work)
	}
	info, err := (*work).Info(ctx, jetstream.WithSubjectFilter(workPrefix+"*."+token+".>"))
	if err != nil {
		return 0, err
	}
	return int64(len(info.State.Subjects)), nil // one message each
}
