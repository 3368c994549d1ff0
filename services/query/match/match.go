// Package match finds out which saved searches, and which queries of rules, an item matches that has ended or was tagged, and
// publishes SearchMatched.
//
// Three durable consumers, which the processes of query share, receive the outcomes of items, the changes of tags, and those of names and
// folders. The matches of
// an item are recorded before they are published, with the event that caused them: a repetition of the event publishes the same
// matches under the same id, and other events do not publish them again.
package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
	"github.com/assay-project/assay/services/query/search"
)

// Names of the consumers.
const (
	Outcomes = "query-match-outcomes"
	Tags     = "query-match-tags"
	Moves    = "query-match-moves"
)

const (
	// parallel is the number of items that a process compares concurrently. Most of their time is the wait for the search index.
	parallel = 16
	// lease is the time after which another process compares an item that a process which has ended was comparing.
	lease = 5 * time.Second
	// attemptTime is the timeout of the comparison of an item with all searches of its owner.
	attemptTime = 30 * time.Second
	// notReadyPause is the pause before an item is compared that the search index does not have yet.
	notReadyPause = time.Second
	// changes is the maximum number of attempts to record matches while other processes do.
	changes = 10
)

// Options are the dependencies of the service.
type Options struct {
	Bus       *bus.Bus
	Documents *platform.Store
	Found     *find.Service
	Drain     time.Duration
}

// Service publishes matches. It is safe for concurrent use.
type Service struct {
	o        Options
	searches *saved.Searches
	rules    *saved.Rules
	matches  *saved.Matches
}

// New returns the service. It makes no request.
func New(o Options) *Service {
	return &Service{o, saved.NewSearches(o.Documents), saved.NewRules(o.Documents), saved.NewMatches(o.Documents)}
}

// Consumers returns the consumers, which publish matches.
func (s *Service) Consumers() []bus.Consumer {
	all := []bus.Consumer{
		{Name: Outcomes, Stream: bus.StreamOutcomes, Handle: s.ended},
		{Name: Tags, Stream: bus.StreamSaved, Filter: saved.TagSubjects, Handle: s.tagged},
		{Name: Moves, Stream: bus.StreamSaved, Filter: saved.MoveSubjects, Handle: s.moved},
	}
	for n := range all {
		all[n].Area, all[n].Parallel, all[n].Lease, all[n].Drain = area, parallel, lease, s.o.Drain
		all[n].Bounds = func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: attemptTime} }
	}
	return all
}

// ended handles an outcome.
func (s *Service) ended(ctx context.Context, d bus.Delivery) error {
	_, of, _, ok := event.ParseOutcome(d.Subject)
	if !ok || d.Owner == "" {
		return nil
	}
	return s.compare(ctx, d.Owner, saved.Item{Area: of, ID: d.Item}, saved.Cause{ID: d.ID, At: d.Time, Ended: true}, func(string) bool { return true })
}

// tagged handles a change of tags. Only searches for what was changed can begin to match because of it.
func (s *Service) tagged(ctx context.Context, d bus.Delivery) error {
	var changed event.TagsChanged
	if err := d.Unmarshal(d.Data, &changed); err != nil {
		return bus.Permanent(err)
	}
	affected := func(query string) bool {
		parsed, err := terms.Parse(query)
		return err == nil && (containsAny(parsed.Tags.With, changed.Added) || containsAny(parsed.Tags.Without, changed.Removed))
	}
	return s.compare(ctx, d.Owner, saved.Item{Area: changed.Area, ID: changed.Id}, saved.Cause{ID: d.ID, At: d.Time}, affected)
}

func containsAny(folded, tags []string) bool {
	return slices.ContainsFunc(tags, func(one string) bool { return slices.Contains(folded, tag.Fold(one)) })
}

// compare publishes which sources of an owner an item has begun to match because of an event, among those that the event affects.
func (s *Service) compare(ctx context.Context, owner string, i saved.Item, c saved.Cause, affects func(query string) bool) error {
	searches, err := s.searches.List(ctx, owner)
	if err != nil {
		return err
	}
	rules, err := s.rules.List(ctx, owner)
	if err != nil {
		return err
	}
	sources := saved.Sources(searches, rules, i.Area, c.At)
	if sources = slices.DeleteFunc(sources, func(one saved.Source) bool { return !affects(one.Query) }); len(sources) == 0 {
		return nil
	}
	caller := web.Acting(owner)
	if err := s.o.Found.Fresh(ctx, i, caller); err != nil {
		return later(err)
	}
	for range changes {
		err := s.record(ctx, caller, i, c, sources)
		if !errors.Is(err, platform.ErrChanged) {
			return later(err)
		}
	}
	return fmt.Errorf("record the matches of %s %s: %w", i.Area, i.ID, platform.ErrChanged)
}

// later makes a message wait without using an attempt while the search index is not ready.
func later(err error) error {
	if errors.Is(err, search.ErrNotReady) {
		return bus.Later(err, notReadyPause)
	}
	return err
}

// record records and publishes the matches of an item. It returns platform.ErrChanged if other matches were recorded meanwhile.
func (s *Service) record(ctx context.Context, c web.Caller, i saved.Item, cause saved.Cause, sources []saved.Source) error {
	matched, err := s.matches.Get(ctx, c.Owner, i)
	if err != nil {
		return err
	}
	names, rules := matched.Caused(cause.ID)
	if len(names)+len(rules) == 0 {
		if err := s.find(ctx, c, i, cause, sources, &matched); err != nil {
			return err
		}
		if names, rules = matched.Caused(cause.ID); len(names)+len(rules) == 0 {
			return nil
		}
		if err := s.matches.Put(ctx, c.Owner, i, matched); err != nil {
			return err
		}
	}
	d := &event.SearchMatched{
		Area: i.Area, Id: i.ID, OwnerId: c.Owner, Name: matched.Name, Searches: names, Rules: rules, MatchedAt: timestamppb.New(cause.At),
	}
	if cause.Ended {
		d.EndedAt = d.MatchedAt
	}
	return s.o.Bus.Publish(ctx, saved.NewSearchMatched(cause.ID, d))
}

// find adds the sources that an item has begun to match.
func (s *Service) find(ctx context.Context, c web.Caller, i saved.Item, cause saved.Cause, sources []saved.Source, matched *saved.Matched) error {
	for _, one := range sources {
		if !matched.IsNew(one, cause) {
			continue
		}
		hit, found, err := s.o.Found.Matches(ctx, one.Query, i, c)
		if _, invalid := errors.AsType[*terms.SyntaxError](err); invalid {
			continue // an earlier version has accepted the query
		}
		if err != nil {
			return err
		}
		if found {
			matched.Name = hit.Name
			matched.Add(one, cause)
		}
	}
	return nil
}
