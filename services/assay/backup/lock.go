package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	lockName = "lock.json"
	// lockLife is the time after which a lock that is not renewed counts as that of a dead process.
	lockLife = 10 * time.Minute
	// lockRenewal is the interval at which a lock is renewed.
	lockRenewal = lockLife / 5
)

// ErrLocked means that another process writes to the repository.
var ErrLocked = errors.New("another backup writes to the repository")

// lockFile is the content of the file of the lock.
type lockFile struct {
	// Holder identifies the data folder. Only one process at a time uses it, so its next process takes over the lock.
	Holder  string    `json:"holder"`
	Process string    `json:"process"`
	Expires time.Time `json:"expires"`
}

// lock is the right to write to a repository.
type lock struct {
	repository *Repository
	file       lockFile
}

// takeLock takes the lock, or returns ErrLocked.
func (r *Repository) takeLock(ctx context.Context, holder, process string) (*lock, error) {
	l := &lock{r, lockFile{Holder: holder, Process: process}}
	for range 2 {
		content, err := l.content()
		if err != nil {
			return nil, err
		}
		if err = r.store.create(ctx, lockName, content); !errors.Is(err, errExists) {
			return l, err
		}
		other, err := l.read(ctx)
		if err != nil {
			return nil, err
		}
		if other.Holder != holder && time.Now().Before(other.Expires) {
			return nil, fmt.Errorf("%w: %s, until %s unless it continues", ErrLocked, other.Holder, other.Expires.Format(time.RFC3339))
		}
		if err := r.store.remove(ctx, lockName); err != nil {
			return nil, err
		}
	}
	return nil, ErrLocked
}

func (l *lock) content() ([]byte, error) {
	l.file.Expires = time.Now().Add(lockLife).UTC()
	return json.Marshal(l.file)
}

// read reads the lock. It is zero if there is none.
func (l *lock) read(ctx context.Context) (file lockFile, err error) {
	content, err := l.repository.store.get(ctx, lockName)
	if errors.Is(err, errMissing) {
		return file, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &file)
	}
	if err != nil {
		return file, fmt.Errorf("%s of the repository: %w", lockName, err)
	}
	return file, nil
}

// check returns ErrLocked if another process has taken over the lock.
func (l *lock) check(ctx context.Context) error {
	file, err := l.read(ctx)
	if err == nil && file.Process != l.file.Process {
		return fmt.Errorf("%w: %s has taken over", ErrLocked, file.Holder)
	}
	return err
}

// hold renews the lock until ctx is done. It then returns nil, or an error if the lock is lost.
func (l *lock) hold(ctx context.Context) error {
	every := time.NewTicker(lockRenewal)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		content, err := l.content()
		if err == nil {
			err = l.check(ctx)
		}
		if err == nil {
			err = l.repository.store.put(ctx, lockName, content)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// release gives the lock back, unless another process has taken it over.
func (l *lock) release(ctx context.Context) error {
	if err := l.check(ctx); err != nil {
		return err
	}
	return l.repository.store.remove(ctx, lockName)
}
