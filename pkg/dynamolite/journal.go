package dynamolite

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// journal makes a commit durable with one sync. bbolt alone needs two, one for
// its pages and one for its root, and a single writer waits for both.
//
// bbolt commits without syncs. Before each commit the journal appends and syncs the
// operations of the commit. When the journal is full, or a commit has operations that
// cannot be recorded, a checkpoint syncs bbolt's file, stores its two root pages (its
// first two) in the journal and restarts the journal. Until the next checkpoint a read
// transaction stays open, so that bbolt, which never overwrites a page that a reader
// can see, does not change the pages of the checkpoint. After a crash, the stored roots
// restore the checkpoint, regardless of which later pages are on disk, and the
// journal's records are replayed on top of it.
//
// The layout of the file, with sizes in bytes:
//
//	0      header of the last checkpoint
//	4096   copy of the header
//	8192   records
//
//	header  magic 8, epoch 8, salt 8, page size 4, root pages 2*128, CRC-32C 4
//	record  CRC-32C of the rest 4, length 4, salt 8, operations
//
// The epoch counts checkpoints. The salt is random for each checkpoint: it
// distinguishes records from those of earlier epochs, and prevents a stored value
// from being mistaken for a record.
//
// Records are synced one by one, so after a crash at most the last one is incomplete.
// When a record is on disk, and before its commit is acknowledged, a record without
// operations is written after it; the next record overwrites it. The empty record is
// not synced: it survives the end of the process, but not always a power failure.
// Therefore, an invalid record with a valid one anywhere after it is damage, and Open
// fails; an invalid record with nothing after it was never acknowledged, and is
// dropped. Only after a power failure is damage to the very last record
// indistinguishable from the second case.
//
// The header copies are written and synced sequentially, so that a crash damages at
// most one.
//
// The file is in the directory of bbolt's file, locked while it is open, and removed by
// Close.
type journal struct {
	db     *bbolt.DB
	path   string // path of bbolt's file
	file   *os.File
	epoch  uint64
	salt   [saltSize]byte
	end    int64 // offset of the next record
	pinned *bbolt.Tx
	// late are the entries added to tokensBucket since the last checkpoint. Their keys are random
	// and rarely read again, so each entry would change a separate page. The next checkpoint writes
	// them together.
	late    map[string][]byte
	record  []byte   // the buffer of the last record, for reuse
	created bool     // openJournal created the file
	found   contents // content found by openJournal; start replays its records
	failed  error    // the first failure; no commit is possible after it
}

const (
	journalMagic = "dynlite2"
	journalSize  = 4 << 20
	headerCopy   = 4 << 10 // position of the second header
	recordsStart = 8 << 10
	saltSize     = 8
	rootSize     = 128 // bbolt uses 80 bytes of a root page
	headerSize   = len(journalMagic) + 8 + saltSize + 4 + 2*rootSize + 4
	recordHeader = 16
	// leastRecord and mostRecord bound the size of the buffer that is reused for the next record.
	leastRecord = 4 << 10
	mostRecord  = 256 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Operation kinds. Each is followed by the bucket, the key and the value with their
// lengths.
const (
	opPut    = 'p'
	opDelete = 'd' // the value is empty
	opAppend = 'a' // like opPut; the key also becomes the bucket's sequence number
)

func appendOperation(dst []byte, kind byte, bucket, key, value []byte) []byte {
	dst = append(dst, kind)
	for _, field := range [][]byte{bucket, key, value} {
		dst = append(binary.AppendUvarint(dst, uint64(len(field))), field...)
	}
	return dst
}

// openJournal opens and locks the journal of the bbolt file at path. If the journal
// remained after a crash, openJournal restores bbolt's file to the last checkpoint.
// The caller must then open bbolt's file and call start.
func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path+".journal", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{path: path, file: file, late: map[string][]byte{}}
	if err := lockFile(file); err != nil {
		return nil, errors.Join(fmt.Errorf("the file is in use: %w", err), file.Close())
	}
	if err := j.restore(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// start replays the records found by openJournal and makes a checkpoint. db must not
// sync its commits itself.
func (j *journal) start(db *bbolt.DB) (err error) {
	j.db = db
	defer func() { j.failed = err }()
	// A single transaction overwrites no page of the checkpoint, so recovery works the
	// same way after a crash before the next checkpoint.
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, operations := range j.found.records {
			if err := replay(tx, operations); err != nil {
				return err
			}
		}
		return markOpen(tx)
	})
	if err != nil {
		return fmt.Errorf("recovery: %w", err)
	}
	j.found.records = nil
	dir, err := os.Open(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil { // syncs the directory entries of both files
		return err
	}
	return j.checkpoint()
}

// markOpen marks bbolt's file as one that needs its journal.
func markOpen(tx *bbolt.Tx) error {
	return bucketOf(tx, formatBucket).Put(journalKey, seal(journalKey, nil))
}

// blank returns a record without operations, in the buffer of the last record.
func (j *journal) blank() []byte {
	if cap(j.record) < recordHeader || cap(j.record) > mostRecord {
		j.record = make([]byte, recordHeader, leastRecord)
	}
	return j.record[:recordHeader]
}

// commit commits the transaction, which is durable when commit returns nil. record,
// which starts with the result of blank, lists the writes of the transaction; late
// contains the tokens that are not in bbolt's file. If record is empty, a checkpoint
// makes the transaction durable.
func (j *journal) commit(tx *bbolt.Tx, record []byte, late map[string][]byte) error {
	if j.failed != nil {
		return j.failed
	}
	if tx.Size() > addressSpace-(1<<30) {
		return errors.New("the file has reached its maximum size of 63 GB")
	}
	j.record = record
	if len(record) > recordHeader && j.end+int64(len(record))+recordHeader <= journalSize {
		before := j.end
		if j.failed = j.append(record); j.failed != nil {
			return j.failed
		}
		if err := guard(tx.Commit); err != nil {
			j.failed = j.dropRecord(before)
			return errors.Join(err, j.failed)
		}
		maps.Copy(j.late, late)
		return nil
	}
	all := maps.Clone(j.late)
	maps.Copy(all, late)
	err := putTokens(tx, all)
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return err // the commit has no effect, and a later one may succeed
	}
	j.failed = j.checkpoint()
	clear(j.late)
	return j.failed
}

// dropRecord drops the last record, which starts at offset at, because its
// transaction has failed.
func (j *journal) dropRecord(at int64) error {
	var end [recordHeader]byte
	j.seal(end[:])
	if _, err := j.file.WriteAt(end[:], at); err != nil {
		return err
	}
	j.end = at
	return syncData(j.file)
}

func (j *journal) append(record []byte) error {
	j.seal(record)
	if _, err := j.file.WriteAt(record, j.end); err != nil {
		return err
	}
	j.end += int64(len(record))
	if err := syncData(j.file); err != nil {
		return err
	}
	var end [recordHeader]byte
	j.seal(end[:])
	_, err := j.file.WriteAt(end[:], j.end)
	return err
}

// seal fills in the header of a record.
func (j *journal) seal(record []byte) {
	binary.BigEndian.PutUint32(record[4:], uint32(len(record)-recordHeader))
	copy(record[8:], j.salt[:])
	binary.BigEndian.PutUint32(record, crc32.Checksum(record[4:], castagnoli))
}

// checkpoint syncs bbolt's file and restarts the journal. No transaction may write
// during a checkpoint.
func (j *journal) checkpoint() error {
	if err := j.db.Sync(); err != nil {
		return err
	}
	pageSize := j.db.Info().PageSize
	roots, err := readRoots(j.path, pageSize)
	if err != nil {
		return err
	}
	pin, err := j.db.Begin(false)
	if err != nil {
		return err
	}
	if err := j.unpin(); err != nil {
		return errors.Join(err, pin.Rollback())
	}
	j.pinned = pin
	j.epoch++
	if _, err := rand.Read(j.salt[:]); err != nil {
		return err
	}
	h := header{epoch: j.epoch, salt: j.salt, pageSize: pageSize, roots: roots}
	for _, at := range headerPlaces {
		if _, err := j.file.WriteAt(h.encode(), at); err != nil {
			return err
		}
		if err := syncData(j.file); err != nil {
			return err
		}
	}
	j.end = recordsStart
	return nil
}

// readRoots returns the used part of bbolt's root pages.
func readRoots(path string, pageSize int) (roots [2 * rootSize]byte, err error) {
	db, err := os.Open(path)
	if err != nil {
		return roots, err
	}
	_, err = db.ReadAt(roots[:rootSize], 0)
	if err == nil {
		_, err = db.ReadAt(roots[rootSize:], int64(pageSize))
	}
	return roots, errors.Join(err, db.Close())
}

// finish writes to bbolt's file what only the journal contains, and marks the file as closed.
func (j *journal) finish() error {
	return j.update(func(tx *bbolt.Tx) error {
		return errors.Join(putTokens(tx, j.late), bucketOf(tx, formatBucket).Delete(journalKey))
	})
}

// update commits a transaction without a record, which a crash before the next checkpoint undoes. It does
// not use bbolt's Update, which searches the entire file for free pages if its function panics.
func (j *journal) update(change func(*bbolt.Tx) error) error {
	tx, err := j.db.Begin(true)
	if err != nil {
		return err
	}
	err = guard(func() error {
		if err := change(tx); err != nil {
			return err
		}
		return tx.Commit()
	})
	if err != nil {
		_ = tx.Rollback() // the first error is the one to report
	}
	return err
}

func (j *journal) unpin() error {
	if j.pinned == nil {
		return nil
	}
	pin := j.pinned
	j.pinned = nil
	return pin.Rollback()
}

// close completes bbolt's file, which the caller then closes, and removes the journal. If start or a
// commit has failed, close retains the journal, and the next Open recovers from it.
func (j *journal) close() error {
	if j.db == nil || j.failed != nil {
		return errors.Join(j.unpin(), j.file.Close())
	}
	err := j.finish()
	// bbolt has two root pages, and uses the older one if the newer one is damaged. An
	// empty transaction brings both up to date.
	err = errors.Join(err, j.db.Update(func(*bbolt.Tx) error { return nil }), j.db.Sync(), j.unpin())
	if err == nil {
		err = os.Remove(j.file.Name())
	}
	return errors.Join(err, j.file.Close())
}
