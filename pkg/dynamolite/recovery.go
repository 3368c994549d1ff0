package dynamolite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	"go.etcd.io/bbolt"
)

// Recovery describes what Open found in a journal that remained after a crash.
type Recovery struct {
	// Commits is the number of commits since the last checkpoint that were restored
	// from the journal.
	Commits int
	// Incomplete is the offset in the journal of a commit that the crash interrupted,
	// or 0. The commit was never acknowledged, and is dropped.
	Incomplete int64
}

// CorruptError reports stored bytes that fail their checksum.
type CorruptError struct {
	File    string
	Offset  int64
	Problem string
	// Repairable means that RepairJournal can truncate the file at Offset. This drops
	// the damaged commit and the Later intact commits after it.
	Repairable bool
	Later      int
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is corrupt at offset %d: %s", e.File, e.Offset, e.Problem)
}

// header is the header of a journal, which a checkpoint writes.
type header struct {
	epoch    uint64
	salt     [saltSize]byte
	pageSize int
	roots    [2 * rootSize]byte
}

// headerPlaces are the offsets of the two copies of the header.
var headerPlaces = [2]int64{0, headerCopy}

func (h *header) encode() []byte {
	b := binary.BigEndian.AppendUint64(append(make([]byte, 0, headerSize), journalMagic...), h.epoch)
	b = append(b, h.salt[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(h.pageSize))
	b = append(b, h.roots[:]...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func parseHeader(b []byte) (h header, ok bool) {
	b = b[:headerSize]
	sum := len(b) - 4
	if string(b[:len(journalMagic)]) != journalMagic || crc32.Checksum(b[:sum], castagnoli) != binary.BigEndian.Uint32(b[sum:]) {
		return h, false
	}
	h.epoch = binary.BigEndian.Uint64(b[8:])
	copy(h.salt[:], b[16:])
	h.pageSize = int(binary.BigEndian.Uint32(b[24:]))
	copy(h.roots[:], b[28:])
	return h, true
}

// contents is the content of a journal. The zero value is a journal without a
// checkpoint.
type contents struct {
	header  header
	records [][]byte // the operations of each record
	Recovery
}

// parseJournal parses the content of the named journal. The error is a *CorruptError,
// or ErrOldFormat if an older version wrote the journal.
func parseJournal(name string, content []byte) (c contents, err error) {
	damaged := func(at int64, problem string) error {
		return &CorruptError{File: name, Offset: at, Problem: problem}
	}
	if len(content) < journalSize {
		if len(bytes.Trim(content, "\x00")) > 0 {
			return c, damaged(int64(len(content)), fmt.Sprintf("the file ends here; a journal has at least %d bytes", journalSize))
		}
		return c, nil // the creation of the journal was interrupted
	}
	if bytes.HasPrefix(content, []byte("dynlite1")) {
		return c, fmt.Errorf("%s: %w", name, ErrOldFormat)
	}
	valid := false
	for _, at := range headerPlaces {
		if h, ok := parseHeader(content[at:]); ok && h.epoch > c.header.epoch {
			c.header, valid = h, true
		}
	}
	if !valid {
		if len(bytes.Trim(content[headerCopy:], "\x00")) > 0 {
			return c, damaged(0, "both copies of the header are damaged")
		}
		return c, nil // the first checkpoint was not finished: bbolt's file is in its last synced state
	}
	at := recordsStart
	for {
		operations, ok := c.header.parseRecord(content[at:])
		if !ok || len(operations) == 0 {
			break
		}
		c.records = append(c.records, operations)
		at += recordHeader + len(operations)
	}
	c.Commits = len(c.records)
	_, ended := c.header.parseRecord(content[at:])
	behind, commits := c.header.recordsAfter(content[at:])
	switch {
	case behind > 0:
		return c, &CorruptError{
			File: name, Offset: int64(at), Repairable: true, Later: commits,
			Problem: fmt.Sprintf("a record is damaged; it is not an interrupted write, because the journal continues at offset %d (%d later commits are intact)", at+behind, commits),
		}
	case !ended && len(content)-at >= recordHeader && bytes.Equal(content[at+8:at+recordHeader], c.header.salt[:]):
		c.Incomplete = int64(at)
	}
	return c, nil
}

// parseRecord returns the operations of the record at the start of content.
func (h *header) parseRecord(content []byte) (operations []byte, ok bool) {
	if len(content) < recordHeader {
		return nil, false
	}
	end := recordHeader + int64(binary.BigEndian.Uint32(content[4:]))
	if end > int64(len(content)) || !bytes.Equal(content[8:recordHeader], h.salt[:]) ||
		crc32.Checksum(content[4:end], castagnoli) != binary.BigEndian.Uint32(content) {
		return nil, false
	}
	return content[recordHeader:end], true
}

// recordsAfter searches for intact records after the start of content. It returns
// the offset of the first one, or 0 if there is none, and the number of records with
// operations.
func (h *header) recordsAfter(content []byte) (first, commits int) {
	for at := 1; ; {
		salt := bytes.Index(content[min(at+8, len(content)):], h.salt[:])
		if salt < 0 {
			return first, commits
		}
		at += salt
		operations, ok := h.parseRecord(content[at:])
		if !ok {
			at++
			continue
		}
		if first == 0 {
			first = at
		}
		if len(operations) > 0 {
			commits++
		}
		at += recordHeader + len(operations)
	}
}

// restore restores bbolt's file to the last checkpoint in the journal. It retains the later records
// for start.
func (j *journal) restore() error {
	content, err := os.ReadFile(j.file.Name())
	if err != nil {
		return err
	}
	if j.found, err = parseJournal(j.file.Name(), content); err != nil {
		return err
	}
	if len(content) < journalSize {
		j.created = true
		return j.create()
	}
	h := j.found.header
	if h.epoch == 0 {
		return nil
	}
	j.epoch = h.epoch
	db, err := os.OpenFile(j.path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("the journal exists, but its database does not: %w", err)
	}
	_, err = db.WriteAt(h.roots[:rootSize], 0)
	if err == nil {
		_, err = db.WriteAt(h.roots[rootSize:], int64(h.pageSize))
	}
	if err == nil {
		err = db.Sync()
	}
	return errors.Join(err, db.Close())
}

// checkPresent returns an error if bbolt's file was not closed and its journal is
// missing.
func (j *journal) checkPresent(tx *bbolt.Tx) error {
	if j.created && bucketOf(tx, formatBucket).Get(journalKey) != nil {
		return &CorruptError{File: j.file.Name(), Problem: "the journal is missing or empty, but the database was not closed and needs it"}
	}
	return nil
}

// create allocates the entire file, so that a record never changes the file's
// length. It writes page by page: Linux caches one large write in large folios, and
// the cost of a record in a large folio grows with the folio's size of up to 2 MB.
func (j *journal) create() error {
	page := make([]byte, os.Getpagesize())
	for at := int64(0); at < journalSize; at += int64(len(page)) {
		if _, err := j.file.WriteAt(page, at); err != nil {
			return err
		}
	}
	return j.file.Sync()
}

// replay writes the operations of one record.
func replay(tx *bbolt.Tx, operations []byte) error {
	for len(operations) > 0 {
		kind := operations[0]
		operations = operations[1:]
		var fields [3][]byte
		for i := range fields {
			length, n := binary.Uvarint(operations)
			fields[i] = operations[n : n+int(length)]
			operations = operations[n+int(length):]
		}
		bucket := bucketOf(tx, fields[0])
		if bucket == nil {
			return fmt.Errorf("bucket %x is missing", fields[0])
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
