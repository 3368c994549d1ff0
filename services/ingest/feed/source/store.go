package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// Errors of the Store.
var (
	ErrNotFound = errors.New("the feed source does not exist")
	ErrTooMany  = fmt.Errorf("the limit of %d feed sources is reached", MaxSources)
)

// MaxSources is the maximum number of sources. Every check for due sources reads all of them.
const MaxSources = 200

// Store stores each source as a document in the platform table.
type Store struct{ documents *platform.Store }

// NewStore returns a store on the given documents.
func NewStore(documents *platform.Store) *Store { return &Store{documents} }

// Check returns an error if the table is unavailable. It is called by readiness checks.
func (s *Store) Check(ctx context.Context) error { return s.documents.Check(ctx) }

// All returns the sources, sorted by name.
func (s *Store) All(ctx context.Context) ([]Source, error) {
	documents, err := s.documents.List(ctx, platform.FeedSources)
	if err != nil {
		return nil, err
	}
	var all []Source
	for _, document := range documents {
		found, err := parseSource(document)
		if err != nil {
			return nil, err
		}
		if !found.Deleted {
			all = append(all, found)
		}
	}
	return all, nil
}

// Get returns a source, or ErrNotFound.
func (s *Store) Get(ctx context.Context, name string) (Source, error) {
	found, version, err := s.load(ctx, name)
	if err == nil && (version == 0 || found.Deleted) {
		return Source{}, ErrNotFound
	}
	return found, err
}

// load returns a source and the version of its document, 0 if there is none.
func (s *Store) load(ctx context.Context, name string) (Source, int64, error) {
	document, err := s.documents.Get(ctx, platform.FeedSources, name)
	if errors.Is(err, platform.ErrNotFound) {
		return Source{Name: name}, 0, nil
	}
	if err != nil {
		return Source{}, 0, err
	}
	found, err := parseSource(document)
	return found, document.Version, err
}

func parseSource(d platform.Document) (Source, error) {
	var found Source
	if err := json.Unmarshal([]byte(d.Body), &found); err != nil {
		return Source{}, fmt.Errorf("read the feed source %s: %w", d.Name, err)
	}
	return found, nil
}

// errUnchanged makes update skip the write.
var errUnchanged = errors.New("nothing to write")

// update applies a change to a source, which may not exist yet, and tries again if the source is changed
// concurrently. It returns errors of the change, except errUnchanged.
func (s *Store) update(ctx context.Context, name string, change func(source *Source, exists bool) error) (Source, error) {
	for {
		current, version, err := s.load(ctx, name)
		if err != nil {
			return Source{}, err
		}
		switch err := change(&current, version > 0 && !current.Deleted); {
		case errors.Is(err, errUnchanged):
			return current, nil
		case err != nil:
			return Source{}, err
		}
		err = s.documents.PutJSON(ctx, platform.FeedSources, name, version, current)
		if !errors.Is(err, platform.ErrChanged) { // one of the concurrent writers succeeds, so the loop terminates
			return current, err
		}
	}
}

// Put sets the settings of a source, which must be valid. It returns ErrTooMany, platform.ErrUnconditional
// or platform.ErrOtherRevision.
func (s *Store) Put(ctx context.Context, name string, settings Settings, match platform.Match) (put Source, created bool, err error) {
	put, err = s.update(ctx, name, func(current *Source, exists bool) error {
		if err := match.Check(current.Revision, exists); err != nil {
			return err
		}
		if created = !exists; created {
			all, err := s.All(ctx)
			if err != nil {
				return err
			}
			if len(all) >= MaxSources {
				return ErrTooMany
			}
		}
		current.change(settings, time.Now())
		return nil
	})
	return put, created, err
}

// Delete deletes a source. A missing source is not an error unless match specifies a precondition. It
// returns platform.ErrUnconditional or platform.ErrOtherRevision.
func (s *Store) Delete(ctx context.Context, name string, match platform.Match) error {
	_, err := s.update(ctx, name, func(current *Source, exists bool) error {
		if !exists && match == (platform.Match{}) {
			return errUnchanged
		}
		if err := match.Check(current.Revision, exists); err != nil {
			return err
		}
		current.Deleted = true
		current.Revision++
		return nil
	})
	return err
}
