package rule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/send"
	"github.com/assay-project/assay/services/ingest/tag"
)

// ConsumerName is the name of the consumer of the matches.
const ConsumerName = "ingest-rules"

const (
	// parallel is the number of items that rules of a process act on concurrently.
	parallel = 8
	// attemptTime is the timeout of the actions on an item.
	attemptTime = 2 * time.Minute
	// changes is the maximum number of attempts to write a log while others do.
	changes = 20
)

// Options are the dependencies of the service.
type Options struct {
	Bus       *bus.Bus
	Documents *platform.Store
	Areas     []string // names, sorted
	Photos    string   // the name of the area that edits pictures, whose items have results
	Tags      *tag.Service
	Sender    *send.Service
	// Movers move items to folders with the permissions of a caller, by the name of the area. They return problems.
	Movers map[string]func(ctx context.Context, c web.Caller, id, folder string) error
	Lease  time.Duration // after which another process repeats what one that has ended was doing
	Drain  time.Duration
}

// Service saves and applies rules. It is safe for concurrent use.
type Service struct {
	o        Options
	rules    *saved.Rules
	searches *saved.Searches
	logs     *saved.Logs
}

// New returns the service. It makes no request.
func New(o Options) *Service {
	return &Service{o, saved.NewRules(o.Documents), saved.NewSearches(o.Documents), saved.NewLogs(o.Documents)}
}

// Consumer returns the consumer of the matches, which applies rules.
func (s *Service) Consumer() bus.Consumer {
	return bus.Consumer{
		Name: ConsumerName, Area: "saved", Stream: bus.StreamSaved, Filter: saved.MatchSubjects, Parallel: parallel, Lease: s.o.Lease, Drain: s.o.Drain,
		Bounds: func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: attemptTime} },
		Handle: s.matched, GiveUp: s.giveUp,
	}
}

// match is a match of an item with searches of an owner.
type match struct {
	*event.SearchMatched
	cause  string // id of the event
	item   saved.Item
	caller web.Caller
}

func read(d bus.Delivery) (match, error) {
	m := match{SearchMatched: &event.SearchMatched{}, cause: d.ID}
	err := d.Unmarshal(d.Data, m.SearchMatched)
	m.item, m.caller = saved.Item{Area: m.Area, ID: m.Id}, web.Acting(m.OwnerId)
	return m, err
}

// matched applies the rules of an owner to an item. It first writes to the log what they will do, so that a repetition does the rest of
// it, whatever has become of the rules, and other matches of the item know about it.
func (s *Service) matched(ctx context.Context, d bus.Delivery) error {
	m, err := read(d)
	if err != nil {
		return bus.Permanent(err)
	}
	log, err := s.plan(ctx, m)
	if err != nil {
		return err
	}
	for {
		planned := log.Planned(m.cause)
		if len(planned) == 0 {
			return nil
		}
		done, err := s.do(ctx, m, log, log.Entries[planned[0]])
		if err != nil {
			return err
		}
		if log, err = s.settle(ctx, m, done); err != nil {
			return err
		}
	}
}

// plan adds to the log of an item what rules will do because of a match, unless that was done before.
func (s *Service) plan(ctx context.Context, m match) (saved.Log, error) {
	return s.change(ctx, m, func(log *saved.Log) (bool, error) {
		if slices.ContainsFunc(log.Entries, func(e saved.Entry) bool { return e.Cause == m.cause }) {
			return false, nil
		}
		rules, err := s.rules.List(ctx, m.OwnerId)
		at := m.MatchedAt.AsTime()
		rules = slices.DeleteFunc(rules, func(r saved.Rule) bool { return r.CreatedAt.After(at) })
		e := saved.Event{ID: m.cause, At: at, Area: m.Area, Searches: m.Searches, Rules: m.Rules}
		if m.EndedAt != nil {
			e.Ended = m.EndedAt.AsTime().UnixMilli()
		}
		next := log.Plan(rules, e)
		log.Entries = append(log.Entries, next...)
		return len(next) > 0, err
	})
}

// settle replaces the first planned entry of a match, and returns the log.
func (s *Service) settle(ctx context.Context, m match, done saved.Entry) (saved.Log, error) {
	return s.change(ctx, m, func(log *saved.Log) (bool, error) {
		planned := log.Planned(m.cause)
		if len(planned) == 0 {
			return false, nil // the item was deleted
		}
		log.Entries[planned[0]] = done
		return true, nil
	})
}

// change changes the log of the item of a match, also while others do, and returns it. next reports whether it has changed the log.
func (s *Service) change(ctx context.Context, m match, next func(*saved.Log) (bool, error)) (saved.Log, error) {
	for range changes {
		log, err := s.logs.Get(ctx, m.OwnerId, m.item)
		if err != nil {
			return log, err
		}
		changed, err := next(&log)
		if err != nil || !changed {
			return log, err
		}
		log, err = s.logs.Put(ctx, m.OwnerId, m.item, log)
		if !errors.Is(err, platform.ErrChanged) {
			return log, err
		}
	}
	return saved.Log{}, fmt.Errorf("write the log of %s %s: %w", m.Area, m.Id, platform.ErrChanged)
}

// giveUp records why the actions of a match could not be done. After a fault, a replay of the dead letter does them.
func (s *Service) giveUp(ctx context.Context, d bus.Delivery, cause error) (bus.Failure, error) {
	m, err := read(d)
	if err != nil {
		return bus.Failure{}, nil
	}
	refused, isProblem := errors.AsType[*web.Problem](cause)
	_, err = s.change(ctx, m, func(log *saved.Log) (bool, error) {
		planned := log.Planned(m.cause)
		for _, n := range planned {
			if isProblem {
				log.Entries[n].Status, log.Entries[n].Detail = saved.Failed, text(refused)
			} else {
				log.Entries[n].Detail = "A fault has prevented this for some time. An operator can replay it."
			}
		}
		return len(planned) > 0, nil
	})
	return bus.Failure{Rejected: isProblem}, err
}
