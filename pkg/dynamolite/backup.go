package dynamolite

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// A backup contains the items of a table as they were when the backup began. Its items are copied in the
// background, in several commits (copy.go). Until this is complete, each write of the table first stores
// the old item in the backup if it is not there yet (preserve).

// backupsBucket stores the backups as JSON, by ARN. It exists since the first backup.
var backupsBucket = []byte("backups")

const (
	backupCreating  = "CREATING"
	backupAvailable = "AVAILABLE"
)

// backup is a backup of a table.
type backup struct {
	ID        uint64 // part of the name of its bucket
	ARN       string
	Name      string
	Status    string
	CreatedAt time.Time
	Table     *table // as it was when the backup began
	Items     int64
	Bytes     int64 // of the items
}

func backupMissing(arn string) error {
	return &apiError{code: "BackupNotFoundException", message: "Backup not found: " + arn}
}

func backupInUse(what string) error {
	return &apiError{code: "BackupInUseException", message: "There is another ongoing conflicting backup control plane operation on the table: " + what}
}

// decodeBackup returns the backup with this stored form.
func decodeBackup(arn, stored []byte) (*backup, error) {
	definition, err := unseal(arn, stored)
	if err != nil {
		return nil, fmt.Errorf("backup %s: %w", arn, err)
	}
	b := new(backup)
	return b, json.Unmarshal(definition, b)
}

// backupOf returns the backup with this ARN, or a BackupNotFoundException.
func backupOf(tx *bbolt.Tx, arn string) (*backup, error) {
	all := bucketOf(tx, backupsBucket)
	if all == nil {
		return nil, backupMissing(arn)
	}
	definition, err := lookup(all, []byte(arn))
	if err != nil {
		return nil, fmt.Errorf("backup %s: %w", arn, err)
	}
	if definition == nil {
		return nil, backupMissing(arn)
	}
	b := new(backup)
	return b, json.Unmarshal(definition, b)
}

func (w *writeTx) putBackup(b *backup) error {
	definition, err := json.Marshal(b)
	if err != nil {
		return err
	}
	w.restructure()
	return bucketOf(w.tx, backupsBucket).Put([]byte(b.ARN), seal([]byte(b.ARN), definition))
}

// size returns the size of a table, including the changes of the group.
func (w *writeTx) size(t *table) (counts, error) {
	size, err := readCounts(bucketOf(w.tx, countsBucket), binary.BigEndian.AppendUint64(nil, t.ID))
	if change, ok := w.counts[t.ID]; ok {
		size.items += change.items
		size.bytes += change.bytes
	}
	return size, err
}

func (e *Engine) createBackup(in *createBackupInput) (any, error) {
	var c constraints
	c.tableName(in.TableName)
	c.name("backupName", in.BackupName, 3)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := e.backedUp(*in.TableName)
	if err != nil {
		return nil, err
	}
	if t.Copying != 0 {
		return nil, backupInUse("a backup of " + t.Name + " is being created")
	}
	var b *backup
	err = e.write(func(w *writeTx) (err error) {
		if err := w.current(t); err != nil {
			return err
		}
		b, err = w.beginBackup(t, *in.BackupName)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.begun()
	return struct{ BackupDetails backupDetails }{b.details()}, nil
}

// beginBackup creates a backup without items, which copyAll adds.
func (w *writeTx) beginBackup(t *table, name string) (*backup, error) {
	size, err := w.size(t)
	if err != nil {
		return nil, err
	}
	w.restructure()
	if bucketOf(w.tx, backupsBucket) == nil {
		if err := createBucket(w.tx, backupsBucket); err != nil {
			return nil, err
		}
	}
	id, err := w.nextID()
	if err != nil {
		return nil, err
	}
	if err := createBucket(w.tx, bucketName('b', id)); err != nil {
		return nil, err
	}
	b := &backup{
		ID: id, ARN: fmt.Sprintf("%s%s/backup/%014d-%08x", arnPrefix, t.Name, w.now.UnixMilli(), id), Name: name,
		Status: backupCreating, CreatedAt: w.now, Table: t, Items: size.items, Bytes: size.bytes,
	}
	if err := w.putBackup(b); err != nil {
		return nil, err
	}
	changed := *t
	changed.Copying = id
	return b, w.define(&changed)
}

// backup reads the backup with this ARN. It returns a BackupNotFoundException if there is none.
func (e *Engine) backup(arn string) (b *backup, err error) {
	err = e.read(func(tx *bbolt.Tx) (err error) {
		b, err = backupOf(tx, arn)
		return err
	})
	return b, err
}

func (e *Engine) describeBackup(in *backupInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	b, err := e.backup(*in.BackupArn)
	if err != nil {
		return nil, err
	}
	return struct{ BackupDescription backupDescription }{b.describe()}, nil
}

func (e *Engine) deleteBackup(in *backupInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var b *backup
	err := e.write(func(w *writeTx) (err error) {
		if b, err = backupOf(w.tx, *in.BackupArn); err != nil {
			return err
		}
		if b.Status == backupCreating {
			return backupInUse("the backup is being created")
		}
		for _, t := range w.tables {
			if t.status() != "ACTIVE" && t.Restored.Backup == b.ARN {
				return backupInUse("the backup is being restored to " + t.Name)
			}
		}
		return w.dropBackup(b)
	})
	if err != nil {
		return nil, err
	}
	b.Status = "DELETED"
	return struct{ BackupDescription backupDescription }{b.describe()}, nil
}

// dropBackup removes a backup with its items.
func (w *writeTx) dropBackup(b *backup) error {
	w.restructure()
	if err := deleteBucket(w.tx, bucketName('b', b.ID)); err != nil {
		return err
	}
	return bucketOf(w.tx, backupsBucket).Delete([]byte(b.ARN))
}

func (e *Engine) listBackups(in *listBackupsInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	out := listBackupsOutput{BackupSummaries: []backupSummary{}}
	err := e.read(func(tx *bbolt.Tx) error {
		all := bucketOf(tx, backupsBucket)
		if all == nil {
			return nil
		}
		cursor := all.Cursor()
		for arn, stored := cursor.Seek([]byte(in.ExclusiveStartBackupArn)); arn != nil; arn, stored = cursor.Next() {
			b, err := decodeBackup(arn, stored)
			if err != nil {
				return err
			}
			if b.ARN == in.ExclusiveStartBackupArn || !in.includes(b) {
				continue
			}
			if len(out.BackupSummaries) == *in.Limit {
				out.LastEvaluatedBackupArn = out.BackupSummaries[*in.Limit-1].BackupArn
				return nil
			}
			out.BackupSummaries = append(out.BackupSummaries, b.summary())
		}
		return nil
	})
	return out, err
}
