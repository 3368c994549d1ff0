package saved

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// keepItem is the time for which matches and logs of rules are kept after the last change.
const keepItem = 400 * 24 * time.Hour

// Source is a saved search, or a rule with a query of its own.
type Source struct {
	Rule  bool   // a rule
	Name  string // of the search or rule
	Query string
	Areas []string // empty for all
}

// Sources returns the saved searches, and the queries of the rules that are on, that existed at a time and cover an area.
func Sources(searches []Search, rules []Rule, area string, at time.Time) []Source {
	var all []Source
	for _, s := range searches {
		if s.Covers(area) && !s.CreatedAt.After(at) {
			all = append(all, Source{false, s.Name, s.Query, s.Areas})
		}
	}
	for _, r := range rules {
		if r.Query != "" && !r.Off && r.Covers(area) && !r.CreatedAt.After(at) {
			all = append(all, Source{true, r.Name, r.Query, r.Areas})
		}
	}
	return all
}

func (s Source) key() string {
	if s.Rule {
		return rulePrefix + s.Name
	}
	return searchPrefix + s.Name
}

const rulePrefix, searchPrefix = "rule/", "search/"

// fingerprint identifies the query.
func (s Source) fingerprint() string {
	hash := sha256.Sum256([]byte(s.Query + "\x00" + strings.Join(s.Areas, ",")))
	return hex.EncodeToString(hash[:6])
}

// Cause is the event because of which an item is compared with searches.
type Cause struct {
	ID    string    // of the event
	At    time.Time // when it happened
	Ended bool      // the item has reached a final state; otherwise its tags have changed
}

// match is the last time at which an item has begun to match a source.
type match struct {
	Query string `json:"q"`     // the fingerprint
	At    int64  `json:"at"`    // epoch milliseconds
	Cause string `json:"cause"` // id of the event
}

// Matched contains the sources that an item has matched.
type Matched struct {
	Name    string           `json:"name"` // of the item
	By      map[string]match `json:"by"`
	version int64
}

// Caused returns the names of the searches and rules that the item has matched because of an event, sorted. Both are nil if there
// are none.
func (m Matched) Caused(id string) (searches, rules []string) {
	for _, key := range slices.Sorted(maps.Keys(m.By)) {
		if m.By[key].Cause != id {
			continue
		}
		if name, ok := strings.CutPrefix(key, rulePrefix); ok {
			rules = append(rules, name)
		} else {
			searches = append(searches, strings.TrimPrefix(key, searchPrefix))
		}
	}
	return searches, rules
}

// IsNew reports whether the item has not matched a source before, or has ended again since.
func (m Matched) IsNew(s Source, c Cause) bool {
	before, has := m.By[s.key()]
	return !has || before.Query != s.fingerprint() || c.Ended && before.At < c.At.UnixMilli()
}

// Add adds a source that the item matches.
func (m *Matched) Add(s Source, c Cause) {
	if m.By == nil {
		m.By = map[string]match{}
	}
	m.By[s.key()] = match{s.fingerprint(), c.At.UnixMilli(), c.ID}
}

// Matches records which sources items have matched, so that a match is reported once. It is safe for concurrent use.
type Matches struct{ documents *platform.Store }

// NewMatches returns the matches in the table of documents.
func NewMatches(documents *platform.Store) *Matches { return &Matches{documents} }

// Get reads what an item has matched, with strong consistency.
func (s *Matches) Get(ctx context.Context, owner string, i Item) (m Matched, err error) {
	m.version, err = getItem(ctx, s.documents, platform.Matches+owner, i, &m)
	return m, err
}

// Put records what an item has matched. It returns platform.ErrChanged if that has changed since m was read.
func (s *Matches) Put(ctx context.Context, owner string, i Item, m Matched) error {
	return putItem(ctx, s.documents, platform.Matches+owner, i, m.version, m)
}

// getItem reads a document about an item, which need not exist.
func getItem(ctx context.Context, documents *platform.Store, partition string, i Item, into any) (version int64, err error) {
	d, err := documents.Get(ctx, partition, i.sortKey())
	if errors.Is(err, platform.ErrNotFound) || err == nil && d.Expires < time.Now().Unix() {
		return d.Version, nil
	}
	if err != nil {
		return 0, err
	}
	return d.Version, json.Unmarshal([]byte(d.Body), into)
}

// putItem writes a document about an item, of which version was read.
func putItem(ctx context.Context, documents *platform.Store, partition string, i Item, version int64, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return documents.Put(ctx, partition, platform.Document{Name: i.sortKey(), Version: version, Body: string(body), Expires: time.Now().Add(keepItem).Unix()})
}
