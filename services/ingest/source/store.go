package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/blob"
)

// Errors of the Store.
var (
	ErrNotFound = errors.New("there is no such source")
	ErrTooMany  = fmt.Errorf("there are %d sources already", MaxSources)
	// ErrUnconditional says that a source is there, and that the caller did not
	// say which revision it saw.
	ErrUnconditional = errors.New("the source exists, and its revision was not given")
	// ErrOtherRevision says that a source is not what the caller saw.
	ErrOtherRevision = errors.New("the source has another revision")
)

// MaxSources bounds what every look reads.
const MaxSources = 200

// Store keeps sources as documents in the bucket. The feed's tables are the
// seed's, which has none for this, and JetStream may be lost at any time; S3 has
// conditional writes, and what is written about a source is small and rare.
type Store struct {
	bucket *blob.Store

	mu    sync.Mutex
	known map[string]read // by key
}

type read struct {
	etag   string
	source Source
}

// NewStore returns the sources of a bucket.
func NewStore(bucket *blob.Store) *Store { return &Store{bucket: bucket, known: map[string]read{}} }

const prefix = "feed-sources/"

func key(name string) string { return prefix + name + ".json" }

// All returns the sources, in the order of their names. It reads only those that
// have changed since it was called before.
func (s *Store) All(ctx context.Context) ([]Source, error) {
	var all []Source
	known := map[string]read{}
	for after, more := "", true; more; {
		objects, further, err := s.bucket.List(ctx, prefix, after, 1000)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			after = object.Key
			name, ok := strings.CutSuffix(strings.TrimPrefix(object.Key, prefix), ".json")
			if !ok {
				continue
			}
			got := s.cached(object.Key)
			if got.etag != object.ETag {
				if got.source, got.etag, err = s.load(ctx, name); errors.Is(err, blob.ErrNotFound) {
					continue
				} else if err != nil {
					return nil, err
				}
			}
			known[object.Key] = got
			if !got.source.Deleted {
				all = append(all, got.source)
			}
		}
		more = further && len(objects) > 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = known
	return all, nil
}

func (s *Store) cached(key string) read {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[key]
}

// Get returns one source. It returns ErrNotFound.
func (s *Store) Get(ctx context.Context, name string) (Source, error) {
	found, _, err := s.load(ctx, name)
	if errors.Is(err, blob.ErrNotFound) || err == nil && found.Deleted {
		return Source{}, ErrNotFound
	}
	return found, err
}

// load returns blob.ErrNotFound for what never was.
func (s *Store) load(ctx context.Context, name string) (Source, string, error) {
	document, err := s.bucket.Load(ctx, key(name))
	if err != nil {
		return Source{}, "", err
	}
	var found Source
	if err := json.Unmarshal(document.Body, &found); err != nil {
		return Source{}, "", fmt.Errorf("read the source %s: %w", name, err)
	}
	return found, document.ETag, nil
}

// errUnchanged makes update write nothing.
var errUnchanged = errors.New("nothing to write")

// update makes a change to a source, which may not be there yet, in a loop: the
// change is made to what is there when it is written. Its error ends the loop and
// is returned, but for errUnchanged.
func (s *Store) update(ctx context.Context, name string, change func(source *Source, exists bool) error) (Source, error) {
	for {
		current, etag, err := s.load(ctx, name)
		if errors.Is(err, blob.ErrNotFound) {
			current, etag, err = Source{Name: name}, "", nil
		}
		if err != nil {
			return Source{}, err
		}
		switch err := change(&current, etag != "" && !current.Deleted); {
		case errors.Is(err, errUnchanged):
			return current, nil
		case err != nil:
			return Source{}, err
		}
		body, err := json.Marshal(current)
		if err != nil {
			return Source{}, fmt.Errorf("write the source %s: %w", name, err)
		}
		_, err = s.bucket.Swap(ctx, key(name), etag, body)
		// Of writers at the same time one gets through, so that this ends. What was
		// not there and still is not found has no bucket.
		if !errors.Is(err, blob.ErrChanged) && (etag == "" || !errors.Is(err, blob.ErrNotFound)) {
			return current, err
		}
	}
}

// Match is what a writer knows of the source that it changes.
type Match struct {
	Revision int64 // 0 for none
	Any      bool  // whichever there is
	None     bool  // there must be none
}

func (m Match) check(current *Source, exists bool) error {
	switch {
	case !exists && (m.Any || m.Revision != 0), exists && m.None:
		return ErrOtherRevision
	case exists && !m.Any && m.Revision == 0:
		return ErrUnconditional
	case exists && !m.Any && m.Revision != current.Revision:
		return ErrOtherRevision
	}
	return nil
}

// Put gives a source settings that were checked. It returns ErrTooMany,
// ErrUnconditional or ErrOtherRevision.
func (s *Store) Put(ctx context.Context, name string, settings Settings, match Match) (put Source, created bool, err error) {
	put, err = s.update(ctx, name, func(current *Source, exists bool) error {
		if err := match.check(current, exists); err != nil {
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

// Delete ends a source. That it was not there is no error, unless a revision is
// given. It returns ErrUnconditional or ErrOtherRevision.
func (s *Store) Delete(ctx context.Context, name string, match Match) error {
	_, err := s.update(ctx, name, func(current *Source, exists bool) error {
		if !exists && match == (Match{}) {
			return errUnchanged
		}
		if err := match.check(current, exists); err != nil {
			return err
		}
		current.Deleted = true
		current.Revision++
		return nil
	})
	return err
}
