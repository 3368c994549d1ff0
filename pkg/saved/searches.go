package saved

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// MaxSearches is the maximum number of searches of an owner.
const MaxSearches = 100

var (
	// ErrNotFound means that the owner has no search with the name.
	ErrNotFound = errors.New("the owner has no search with this name")
	// ErrSearches means that the owner has MaxSearches searches.
	ErrSearches = errors.New("the owner has too many searches")
)

// Search is a search that an owner has saved.
type Search struct {
	Name      string    `json:"name"`
	Query     string    `json:"q"`
	Areas     []string  `json:"areas,omitempty"` // empty for all
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Searches stores searches. It is safe for concurrent use.
type Searches struct{ documents *platform.Store }

// NewSearches returns the searches in the table of documents.
func NewSearches(documents *platform.Store) *Searches { return &Searches{documents} }

// Put stores a search of an owner, and returns it with its times. isNew reports whether the owner had none with the name. Of
// concurrent calls, the last one counts. It returns ErrSearches; concurrent calls can exceed the limit.
func (s *Searches) Put(ctx context.Context, owner string, next Search) (stored Search, isNew bool, err error) {
	for range attempts {
		stored, isNew, err = s.put(ctx, owner, next)
		if !errors.Is(err, platform.ErrChanged) {
			break
		}
	}
	return stored, isNew, err
}

func (s *Searches) put(ctx context.Context, owner string, next Search) (stored Search, isNew bool, err error) {
	before, version, err := s.get(ctx, owner, next.Name)
	isNew = errors.Is(err, ErrNotFound)
	if err != nil && !isNew {
		return Search{}, false, err
	}
	next.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
	next.CreatedAt = before.CreatedAt
	if isNew {
		next.CreatedAt = next.UpdatedAt
		all, err := s.documents.List(ctx, platform.Searches+owner)
		if err == nil && len(all) >= MaxSearches {
			err = ErrSearches
		}
		if err != nil {
			return Search{}, false, err
		}
	}
	return next, isNew, s.documents.PutJSON(ctx, platform.Searches+owner, next.Name, version, next)
}

// Get reads a search of an owner with strong consistency. It returns ErrNotFound if there is none with the name.
func (s *Searches) Get(ctx context.Context, owner, name string) (Search, error) {
	found, _, err := s.get(ctx, owner, name)
	return found, err
}

func (s *Searches) get(ctx context.Context, owner, name string) (found Search, version int64, err error) {
	d, err := s.documents.Get(ctx, platform.Searches+owner, name)
	if errors.Is(err, platform.ErrNotFound) {
		return Search{}, 0, ErrNotFound
	}
	if err != nil {
		return Search{}, 0, err
	}
	found, err = read(d)
	return found, d.Version, err
}

// List reads the searches of an owner, by name.
func (s *Searches) List(ctx context.Context, owner string) ([]Search, error) {
	documents, err := s.documents.List(ctx, platform.Searches+owner)
	if err != nil {
		return nil, err
	}
	all := make([]Search, len(documents))
	for i, d := range documents {
		if all[i], err = read(d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Delete deletes a search of an owner. It succeeds if there is none with the name.
func (s *Searches) Delete(ctx context.Context, owner, name string) error {
	return s.documents.Delete(ctx, platform.Searches+owner, name)
}

func read(d platform.Document) (Search, error) {
	var found Search
	if err := json.Unmarshal([]byte(d.Body), &found); err != nil {
		return Search{}, fmt.Errorf("read the search %s: %w", d.Name, err)
	}
	return found, nil
}
