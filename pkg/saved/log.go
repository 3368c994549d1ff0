package saved

import (
	"context"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// Status is what has become of an action of a rule.
type Status string

// Statuses of actions.
const (
	Planned  Status = "planned"  // it will be done, or be repeated after a crash
	Done     Status = "done"     // it was done
	Conflict Status = "conflict" // it was not done: an earlier rule has done the opposite
	Skipped  Status = "skipped"  // it was not done: the rule would act on its own results
	Failed   Status = "failed"   // it could not be done
)

// Entry is an action of a rule on an item.
type Entry struct {
	Rule    string     `json:"rule"`
	Action  RuleAction `json:"action"`
	Status  Status     `json:"status"`
	Detail  string     `json:"detail,omitempty"`  // why it was not done, and what to do about it
	Created *Item      `json:"created,omitempty"` // the item that it has created
	At      time.Time  `json:"at"`
	Cause   string     `json:"cause"` // id of the event because of which the rule acts
	Ended   int64      `json:"ended"` // when the item had ended, in epoch milliseconds: each end is acted on once; 0 if unknown
}

// Origin is how rules have created an item.
type Origin struct {
	From  Item     `json:"from"`
	Rules []string `json:"rules"` // each has sent the item that the next one acted on; the last one has created this item
}

// Log is what rules of an owner have done with an item.
type Log struct {
	Origin  *Origin `json:"origin,omitempty"`
	Entries []Entry `json:"entries,omitempty"` // the oldest first
	version int64
}

// maxEntries is the number of entries that a log keeps.
const maxEntries = 200

// Planned returns the numbers of the entries that an event has caused and that are not done.
func (l Log) Planned(cause string) []int {
	var all []int
	for n, e := range l.Entries {
		if e.Cause == cause && e.Status == Planned {
			all = append(all, n)
		}
	}
	return all
}

// Logs stores logs. It is safe for concurrent use.
type Logs struct{ documents *platform.Store }

// NewLogs returns the logs in the table of documents.
func NewLogs(documents *platform.Store) *Logs { return &Logs{documents} }

// Get reads the log of an item with strong consistency.
func (s *Logs) Get(ctx context.Context, owner string, i Item) (l Log, err error) {
	l.version, err = getItem(ctx, s.documents, platform.RuleLogs+owner, i, &l)
	return l, err
}

// Put writes the log of an item, and returns it as written. It returns platform.ErrChanged if it has changed since it was read.
func (s *Logs) Put(ctx context.Context, owner string, i Item, l Log) (Log, error) {
	l.Entries = slices.Clone(l.Entries[max(0, len(l.Entries)-maxEntries):])
	err := putItem(ctx, s.documents, platform.RuleLogs+owner, i, l.version, l)
	l.version++
	return l, err
}
