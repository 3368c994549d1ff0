package saved

import (
	"errors"
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

// Searches stores searches. It is safe for concurrent use.
type Searches struct{ collection[Search] }

// NewSearches returns the searches in the table of documents.
func NewSearches(documents *platform.Store) *Searches {
	return &Searches{collection[Search]{documents, platform.Searches, MaxSearches, ErrSearches}}
}
