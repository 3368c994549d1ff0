package saved

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// ErrNotFound means that the owner has no search, or no rule, with the name.
var ErrNotFound = errors.New("the owner has none with this name")

// named is what an owner saves under a name.
type named[T any] interface {
	Search | Rule
	// key returns the name, and the time at which it was saved for the first time.
	key() (name string, created time.Time)
	// stamped returns a copy with other times.
	stamped(created, updated time.Time) T
}

// collection stores what owners save under names. It is safe for concurrent use.
type collection[T named[T]] struct {
	documents *platform.Store
	partition string // without the owner
	most      int    // of an owner
	full      error  // more were saved
}

// Put stores one of an owner, and returns it with its times. isNew reports whether the owner had none with the name. Of
// concurrent calls, the last one counts. It returns ErrSearches or ErrRules; concurrent calls can exceed the limit.
func (c collection[T]) Put(ctx context.Context, owner string, next T) (stored T, isNew bool, err error) {
	for range attempts {
		stored, isNew, err = c.put(ctx, owner, next)
		if !errors.Is(err, platform.ErrChanged) {
			break
		}
	}
	return stored, isNew, err
}

func (c collection[T]) put(ctx context.Context, owner string, next T) (stored T, isNew bool, err error) {
	name, _ := next.key()
	before, version, err := c.get(ctx, owner, name)
	isNew = errors.Is(err, ErrNotFound)
	if err != nil && !isNew {
		return stored, false, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	_, created := before.key()
	if isNew {
		created = now
		all, err := c.documents.List(ctx, c.partition+owner)
		if err == nil && len(all) >= c.most {
			err = c.full
		}
		if err != nil {
			return stored, false, err
		}
	}
	stored = next.stamped(created, now)
	return stored, isNew, c.documents.PutJSON(ctx, c.partition+owner, name, version, stored)
}

// Get reads one of an owner with strong consistency. It returns ErrNotFound if there is none with the name.
func (c collection[T]) Get(ctx context.Context, owner, name string) (T, error) {
	found, _, err := c.get(ctx, owner, name)
	return found, err
}

func (c collection[T]) get(ctx context.Context, owner, name string) (found T, version int64, err error) {
	d, err := c.documents.Get(ctx, c.partition+owner, name)
	if errors.Is(err, platform.ErrNotFound) {
		return found, 0, ErrNotFound
	}
	if err != nil {
		return found, 0, err
	}
	found, err = read[T](d)
	return found, d.Version, err
}

// List reads all of an owner, by name.
func (c collection[T]) List(ctx context.Context, owner string) ([]T, error) {
	documents, err := c.documents.List(ctx, c.partition+owner)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(documents))
	for i, d := range documents {
		if all[i], err = read[T](d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Delete deletes one of an owner. It succeeds if there is none with the name.
func (c collection[T]) Delete(ctx context.Context, owner, name string) error {
	return c.documents.Delete(ctx, c.partition+owner, name)
}

func read[T any](d platform.Document) (found T, err error) {
	if err := json.Unmarshal([]byte(d.Body), &found); err != nil {
		return found, fmt.Errorf("read %s: %w", d.Name, err)
	}
	return found, nil
}
