package saved

import (
	"errors"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// MaxSearches is the maximum number of searches of an owner.
const MaxSearches = 100

// ErrSearches means that the owner has MaxSearches searches.
var ErrSearches = errors.New("the owner has too many searches")

// Search is a search that an owner has saved.
type Search struct {
	Name      string    `json:"name"`
	Query     string    `json:"q"`
	Areas     []string  `json:"areas,omitempty"` // empty for all
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func (s Search) key() (string, time.Time) { return s.Name, s.CreatedAt }

func (s Search) stamped(created, updated time.Time) Search {
	s.CreatedAt, s.UpdatedAt = created, updated
	return s
}

// Covers reports whether items of an area are among those of the search.
func (s Search) Covers(area string) bool { return covers(s.Areas, area) }

func covers(areas []string, area string) bool { return len(areas) == 0 || slices.Contains(areas, area) }

// Searches stores searches. It is safe for concurrent use.
type Searches struct{ collection[Search] }

// NewSearches returns the searches in the table of documents.
func NewSearches(documents *platform.Store) *Searches {
	return &Searches{collection[Search]{documents, platform.Searches, MaxSearches, ErrSearches}}
}
