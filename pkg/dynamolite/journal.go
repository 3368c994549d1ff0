package dynamolite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// journal makes a commit durable with one sync. bbolt alone needs two, of its
// pages and then of its root, which a lone writer waits for.
//
// bbolt commits without syncs. Before each commit the journal appends what it
// writes, and syncs that. From time to time a checkpoint syncs bbolt's file,
// notes its two root pages (its first two) in the journal and starts the
// journal anew. Until the next checkpoint a read transaction is held open, so
// that bbolt, which never overwrites a page that a reader can see, leaves all
// pages of the checkpoint as they are. After a crash, whatever part of the
// later pages is on disk, the noted roots lead back to the checkpoint, and the
// journal's records lead on from there.
//
// A journal begins with a header, and its records follow:
//
//	header  magic 8, epoch 8, page size 4, root pages, CRC-32C 4
//	record  length 4, CRC-32C of the rest 4, epoch 8, operations
//
// The epoch counts checkpoints and tells records from older ones. The file is
// beside bbolt's, locked while it is open, and removed by an orderly close.
type journal struct {
	db     *bbolt.DB
	path   string // of bbolt's file
	file   *os.File
	epoch  uint64
	end    int64 // where the next record goes
	pinned *bbolt.Tx
	// late are the entries of tokensBucket that have come since the last checkpoint.
	// Their keys are random and hardly ever read again, so that each would change a
	// page of its own: they are put together at the next checkpoint.
	late   map[string][]byte
	record []byte   // the room of the last one, for the next
	replay [][]byte // records to be carried out by start
	failed error    // the first failure; there are no commits after it
}

const (
	journalMagic = "dynlite1"
	journalSize  = 4 << 20
	recordHeader = 16
	// leastRecord and mostRecord are the room that is kept for the next record.
	leastRecord = 4 << 10
	mostRecord  = 256 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// operation kinds; each is followed by bucket, key and value with their lengths.
const (
	opPut    = 'p'
	opDelete = 'd' // no value
	opAppend = 'a' // as opPut; the key becomes the bucket's sequence number
)

func appendOperation(dst []byte, kind byte, bucket, key, value []byte) []byte {
	dst = append(dst, kind)
	for _, field := range [][]byte{bucket, key, value} {
		dst = append(binary.AppendUvarint(dst, uint64(len(field))), field...)
	}
	return dst
}

// openJournal opens and locks the journal of the bbolt file at path. If it was
// left by a crash, bbolt's file is taken back to the last checkpoint; start
// must then follow.
func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path+".journal", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{path: path, file: file, late: map[string][]byte{}}
	if err := lockFile(file); err != nil {
		return nil, errors.Join(fmt.Errorf("the file is in use: %w", err), file.Close())
	}
	if err := j.takeBack(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// takeBack restores the roots noted by the last checkpoint and reads the
// records since.
func (j *journal) takeBack() error {
	content, err := os.ReadFile(j.file.Name())
	if err != nil {
		return err
	}
	if len(content) < journalSize {
		// Written out, so that a record never changes the file's length, and by pages:
		// Linux keeps what one call writes in folios as large, and a record that comes
		// into one of them costs by its size, up to 2 MB.
		page := make([]byte, os.Getpagesize())
		for at := int64(0); at < journalSize; at += int64(len(page)) {
			if _, err := j.file.WriteAt(page, at); err != nil {
				return err
			}
		}
		return j.file.Sync()
	}
	roots, ok := j.parseHeader(content)
	if !ok {
		return nil // no checkpoint was finished: bbolt's file is as it was synced
	}
	for at := int64(headerSize(len(roots))); ; {
		operations, ok := j.parseRecord(content[at:])
		if !ok {
			break
		}
		j.replay = append(j.replay, operations)
		at += recordHeader + int64(len(operations))
	}
	db, err := os.OpenFile(j.path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("a journal without its file: %w", err)
	}
	if _, err := db.WriteAt(roots, 0); err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(db.Sync(), db.Close())
}

// headerSize is the length of a header with so many bytes of root pages.
func headerSize(roots int) int { return len(journalMagic) + 8 + 4 + roots + 4 }

func (j *journal) parseHeader(content []byte) (roots []byte, ok bool) {
	if string(content[:8]) != journalMagic {
		return nil, false
	}
	pageSize := binary.BigEndian.Uint32(content[16:])
	if pageSize > 1<<16 {
		return nil, false
	}
	size := headerSize(2 * int(pageSize))
	if crc32.Checksum(content[:size-4], castagnoli) != binary.BigEndian.Uint32(content[size-4:]) {
		return nil, false
	}
	j.epoch = binary.BigEndian.Uint64(content[8:])
	return content[20 : size-4], true
}

func (j *journal) parseRecord(content []byte) (operations []byte, ok bool) {
	if len(content) < recordHeader {
		return nil, false
	}
	length := int(binary.BigEndian.Uint32(content))
	if length == 0 || length > len(content)-recordHeader {
		return nil, false
	}
	body := content[8 : recordHeader+length]
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(content[4:]) || binary.BigEndian.Uint64(body) != j.epoch {
		return nil, false
	}
	return body[8:], true
}

// start carries out what a crash has left over and makes a checkpoint. db must
// not sync by itself.
func (j *journal) start(db *bbolt.DB) (err error) {
	j.db = db
	defer func() { j.failed = err }()
	if len(j.replay) > 0 {
		// One transaction: it overwrites no page of the checkpoint, so that a
		// crash before the next one is recovered from in the same way.
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, operations := range j.replay {
				if err := carryOut(tx, operations); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("recovery: %w", err)
		}
		j.replay = nil
	}
	dir, err := os.Open(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil { // both files are in it
		return err
	}
	return j.checkpoint()
}

// carryOut repeats the operations of one record.
func carryOut(tx *bbolt.Tx, operations []byte) error {
	for len(operations) > 0 {
		kind := operations[0]
		operations = operations[1:]
		var fields [3][]byte
		for i := range fields {
			length, n := binary.Uvarint(operations)
			fields[i] = operations[n : n+int(length)]
			operations = operations[n+int(length):]
		}
		bucket := tx.Bucket(fields[0])
		if bucket == nil {
			return fmt.Errorf("no bucket %x", fields[0])
		}
		var err error
		switch kind {
		case opDelete:
			err = bucket.Delete(fields[1])
		case opAppend:
			if err = bucket.SetSequence(binary.BigEndian.Uint64(fields[1])); err != nil {
				return err
			}
			fallthrough
		default:
			err = bucket.Put(fields[1], fields[2])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blank returns a record without operations, in the room of the last one.
func (j *journal) blank() []byte {
	if cap(j.record) < recordHeader || cap(j.record) > mostRecord {
		j.record = make([]byte, recordHeader, leastRecord)
	}
	return j.record[:recordHeader]
}

// commit ends the transaction: durable when it returns nil. The record, which began
// as a blank one, says what it has written, and late which tokens that leaves out of
// bbolt's file; with a blank record it is made durable by a checkpoint.
func (j *journal) commit(tx *bbolt.Tx, record []byte, late map[string][]byte) error {
	if j.failed != nil {
		return j.failed
	}
	if tx.Size() > addressSpace-(1<<30) {
		return errors.New("the file has reached its largest size, 63 GB")
	}
	j.record = record
	if len(record) > recordHeader && j.end+int64(len(record)) <= journalSize {
		if j.failed = j.append(record); j.failed == nil {
			j.failed = tx.Commit()
		}
		maps.Copy(j.late, late)
		return j.failed
	}
	maps.Copy(j.late, late)
	if j.failed = putTokens(tx, j.late); j.failed == nil {
		j.failed = tx.Commit()
	}
	if j.failed == nil {
		j.failed = j.checkpoint()
	}
	clear(j.late)
	return j.failed
}

func (j *journal) append(record []byte) error {
	binary.BigEndian.PutUint32(record, uint32(len(record)-recordHeader))
	binary.BigEndian.PutUint64(record[8:], j.epoch)
	binary.BigEndian.PutUint32(record[4:], crc32.Checksum(record[8:], castagnoli))
	if _, err := j.file.WriteAt(record, j.end); err != nil {
		return err
	}
	j.end += int64(len(record))
	return syncData(j.file)
}

// checkpoint syncs bbolt's file and starts the journal anew. No transaction
// may write meanwhile.
func (j *journal) checkpoint() error {
	if err := j.db.Sync(); err != nil {
		return err
	}
	roots, err := readRoots(j.path, j.db.Info().PageSize)
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
	header := binary.BigEndian.AppendUint64([]byte(journalMagic), j.epoch)
	header = binary.BigEndian.AppendUint32(header, uint32(len(roots)/2))
	header = append(header, roots...)
	header = binary.BigEndian.AppendUint32(header, crc32.Checksum(header, castagnoli))
	if _, err := j.file.WriteAt(header, 0); err != nil {
		return err
	}
	j.end = int64(len(header))
	return syncData(j.file)
}

func readRoots(path string, pageSize int) ([]byte, error) {
	db, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	roots := make([]byte, 2*pageSize)
	_, err = db.ReadAt(roots, 0)
	return roots, errors.Join(err, db.Close())
}

func (j *journal) unpin() error {
	if j.pinned == nil {
		return nil
	}
	pin := j.pinned
	j.pinned = nil
	return pin.Rollback()
}

// close ends the journal; the caller closes bbolt's file next. The journal is
// removed, as bbolt's file needs it no more, unless start or a commit has
// failed: then the next start recovers.
func (j *journal) close() error {
	if j.db == nil || j.failed != nil {
		return errors.Join(j.unpin(), j.file.Close())
	}
	err := j.db.Update(func(tx *bbolt.Tx) error { return putTokens(tx, j.late) })
	err = errors.Join(err, j.db.Sync(), j.unpin())
	if err == nil {
		err = os.Remove(j.file.Name())
	}
	return errors.Join(err, j.file.Close())
}
