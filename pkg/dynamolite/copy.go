package dynamolite

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// Items are copied in commits of limited size, so that other writes do not wait long.
const (
	copyEntries = 500
	copyBytes   = 256 << 10
)

// begun starts the copying after a backup or a restore has begun.
func (e *Engine) begun() {
	select {
	case e.started <- struct{}{}:
	default: // it starts anyway
	}
}

// copyWhenStarted copies the items of backups and restores when they begin, and of those that an earlier process has
// begun. After an error, it tries again after the interval.
func (e *Engine) copyWhenStarted(ctx context.Context, interval time.Duration) {
	for {
		var again <-chan time.Time
		if err := e.copyAll(ctx); err != nil && ctx.Err() == nil {
			if e.onError != nil {
				e.onError(err)
			}
			again = time.After(interval)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.started:
		case <-again:
		}
	}
}

// copyAll completes all backups and restores. One whose data is damaged is abandoned: the backup or the table
// disappears, and the error is returned.
func (e *Engine) copyAll(ctx context.Context) error {
	e.copying.Lock()
	defer e.copying.Unlock()
	var errs []error
	for t := e.incomplete(); t != nil; t = e.incomplete() {
		err := e.copyItems(ctx, t)
		if errors.Is(err, ErrDamaged) {
			errs = append(errs, err)
			err = e.write(func(w *writeTx) error { return w.abandon(w.tables[t.Name]) })
		}
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	return errors.Join(errs...)
}

// incomplete returns a table that is copied to a backup or restored from one, or nil if there is none.
func (e *Engine) incomplete() *table {
	for _, t := range *e.catalog.Load() {
		if t.incomplete() {
			return t
		}
	}
	return nil
}

func (t *table) incomplete() bool { return t.Copying != 0 || t.status() != "ACTIVE" }

// copyItems copies all items of the table. After each commit it waits as long as the commit has taken.
func (e *Engine) copyItems(ctx context.Context, t *table) error {
	var last []byte
	for complete := false; !complete; {
		begin := time.Now()
		err := e.write(func(w *writeTx) (err error) {
			last, complete, err = w.copySome(w.tables[t.Name], last)
			return err
		})
		if err != nil || complete {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(begin)):
		}
	}
	return nil
}

// entries is a part of a bucket.
type entries struct {
	keys, stored [][]byte
	last         []byte // the last key that was read
	complete     bool   // there is nothing after it
}

// entriesAfter reads some entries of a bucket after the key last, or from the start if it is nil. It omits those that
// omit reports.
func (w *writeTx) entriesAfter(name, last []byte, omit func(key, value []byte) bool) (some entries, err error) {
	cursor := bucketOf(w.tx, name).Cursor()
	key, stored := cursor.Seek(append(last, 0)) // no key is between last and this
	some.last = last
	for n, size := 0, 0; key != nil; key, stored = cursor.Next() {
		if n == copyEntries || size >= copyBytes {
			return some, nil
		}
		value, err := unseal(key, stored)
		if err != nil {
			return some, err
		}
		some.last = bytes.Clone(key)
		if !omit(key, value) {
			some.keys, some.stored = append(some.keys, some.last), append(some.stored, bytes.Clone(stored))
		}
		n++
		size += len(key) + len(stored)
	}
	some.complete = true
	return some, nil
}

// copySome copies some items after the key last. It returns the last key, and whether all items are copied.
func (w *writeTx) copySome(t *table, last []byte) (_ []byte, complete bool, err error) {
	if t.Copying == 0 {
		return w.restoreSome(t, last)
	}
	name := bucketName('b', t.Copying)
	copied := bucketOf(w.tx, name).Cursor()
	next, _ := copied.Seek(append(last, 0))
	some, err := w.entriesAfter(bucketName('i', t.ID), last, func(key, _ []byte) bool {
		for next != nil && bytes.Compare(next, key) < 0 {
			next, _ = copied.Next()
		}
		return bytes.Equal(next, key) // preserve has stored it
	})
	if err != nil {
		return last, false, err
	}
	for i, key := range some.keys {
		if err := w.putSealed(name, key, some.stored[i]); err != nil {
			return last, false, err
		}
	}
	if !some.complete {
		return some.last, false, nil
	}
	return some.last, true, w.endBackup(t, backupAvailable)
}

// restoreSome is like copySome, from a backup to its table.
func (w *writeTx) restoreSome(t *table, last []byte) (_ []byte, complete bool, err error) {
	if last == nil { // continue after a restart; items are copied in the order of their keys
		last, _ = bucketOf(w.tx, bucketName('i', t.ID)).Cursor().Last()
		last = bytes.Clone(last)
	}
	b, err := backupOf(w.tx, t.Restored.Backup)
	if err != nil {
		return nil, false, err
	}
	some, err := w.entriesAfter(bucketName('b', b.ID), last, func(_, value []byte) bool { return len(value) == 0 })
	if err != nil {
		return last, false, err
	}
	items := make([]attr.Item, len(some.keys))
	for i, key := range some.keys {
		if items[i], err = attr.DecodeItem(some.stored[i][sealSize:]); err != nil {
			return last, false, errors.Join(damaged(key), err)
		}
	}
	for i, key := range some.keys {
		if err := w.replace(t, key, nil, items[i], 0, false); err != nil {
			return last, false, err
		}
	}
	if !some.complete {
		return some.last, false, nil
	}
	return some.last, true, w.endRestore(t)
}

func (w *writeTx) endRestore(t *table) error {
	changed, summary := *t, *t.Restored
	summary.InProgress = false
	changed.Restored = &summary
	return w.define(&changed)
}

// endBackup ends the creation of the table's backup. Without a status, the backup is removed.
func (w *writeTx) endBackup(t *table, status string) error {
	b, err := w.creating(t)
	if err != nil {
		return err
	}
	if status == "" {
		err = w.dropBackup(b)
	} else {
		b.Status = status
		err = w.putBackup(b)
	}
	if err != nil {
		return err
	}
	changed := *t
	changed.Copying = 0
	return w.define(&changed)
}

// creating returns the backup of the table that is being created.
func (w *writeTx) creating(t *table) (*backup, error) {
	cursor := bucketOf(w.tx, backupsBucket).Cursor()
	for arn, stored := cursor.Seek([]byte(arnPrefix + t.Name + "/backup/")); arn != nil; arn, stored = cursor.Next() {
		if b, err := decodeBackup(arn, stored); err != nil || b.ID == t.Copying {
			return b, err
		}
	}
	return nil, damaged([]byte(t.Name))
}

// abandon removes the backup that is being created from the table, or the table that is being restored.
func (w *writeTx) abandon(t *table) error {
	if t.Copying != 0 {
		return w.endBackup(t, "")
	}
	return w.drop(t)
}

// preserve stores the item under key in the backup that is being created, as it was when the backup began. It does
// nothing if the backup has an entry for it.
func (w *writeTx) preserve(t *table, key []byte) error {
	copied := bucketName('b', t.Copying)
	if entry, err := lookup(bucketOf(w.tx, copied), key); err != nil || entry != nil {
		return err
	}
	stored := bytes.Clone(bucketOf(w.tx, bucketName('i', t.ID)).Get(key))
	if stored == nil {
		return w.put(copied, key, nil)
	}
	return w.putSealed(copied, key, stored)
}
