package dynamolite

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

// Check reads the entire file. It verifies the checksum of every value, the encoding of items, the
// entries of indexes, the stored sizes of tables, the backups, and bbolt's pages. It calls found for each problem,
// and returns an error if it cannot continue. It returns the number of values read.
func (e *Engine) Check(found func(problem string)) (values int, err error) {
	c := checker{found: found}
	err = e.read(func(tx *bbolt.Tx) error {
		for _, t := range *e.catalog.Load() {
			if err := c.table(tx, t); err != nil {
				return err
			}
		}
		if err := c.backups(tx); err != nil {
			return err
		}
		return eachBucket(tx, c.values)
	})
	if err != nil || c.problems > 0 {
		return c.read, err // bbolt's Check runs in its own goroutine and can panic on a damaged file
	}
	return c.read, e.read(func(tx *bbolt.Tx) error {
		for problem := range tx.Check() {
			found(fmt.Sprintf("the pages of the file: %v", problem))
		}
		return nil
	})
}

type checker struct {
	found          func(string)
	read, problems int
}

func (c *checker) problem(format string, v ...any) {
	c.problems++
	c.found(fmt.Sprintf(format, v...))
}

// values checks every value of one bucket.
func (c *checker) values(name []byte, bucket *bucket) error {
	return bucket.ForEach(func(key, stored []byte) error {
		c.read++
		if _, err := unseal(key, stored); err != nil {
			c.problem("entry %x in bucket %q fails its checksum", key, name)
		}
		return nil
	})
}

// table checks that the indexes and the stored size of a table match its items.
func (c *checker) table(tx *bbolt.Tx, t *table) error {
	items := bucketOf(tx, bucketName('i', t.ID))
	if items == nil {
		c.problem("table %s has no bucket for its items", t.Name)
		return nil
	}
	var size counts
	indexed := make([]int64, len(t.Indexes))
	err := items.ForEach(func(key, stored []byte) error {
		value, err := unseal(key, stored)
		if err != nil {
			return nil // checker.values reports the damage
		}
		size.items++
		size.bytes += int64(len(key) + len(value))
		item, err := attr.DecodeItem(value)
		if err != nil {
			c.problem("item %x of table %s: %v", key, t.Name, err)
			return nil
		}
		for i, ix := range t.Indexes {
			entry := ix.entry(item, key)
			if entry == nil {
				continue
			}
			indexed[i]++
			if entries := bucketOf(tx, bucketName('x', ix.ID)); entries == nil || entries.Get(entry) == nil {
				c.problem("item %x of table %s is missing from index %s", key, t.Name, ix.Name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, ix := range t.Indexes {
		if entries := bucketOf(tx, bucketName('x', ix.ID)); entries != nil && entries.entries() != indexed[i] {
			c.problem("index %s of table %s has %d entries for %d items", ix.Name, t.Name, entries.entries(), indexed[i])
		}
	}
	counted, err := readCounts(bucketOf(tx, countsBucket), binary.BigEndian.AppendUint64(nil, t.ID))
	if errors.Is(err, ErrDamaged) {
		return nil // checker.values reports the damage
	}
	if err == nil && counted != size {
		c.problem("table %s has %d items of %d bytes, but its stored size is %d items of %d bytes", t.Name, size.items, size.bytes, counted.items, counted.bytes)
	}
	return err
}

// backups checks that the items of each backup are readable and match its size, and that there are no others.
func (c *checker) backups(tx *bbolt.Tx) error {
	known := map[uint64]bool{}
	if all := bucketOf(tx, backupsBucket); all != nil {
		err := all.ForEach(func(arn, stored []byte) error {
			b, err := decodeBackup(arn, stored)
			if errors.Is(err, ErrDamaged) {
				return nil // checker.values reports the damage
			}
			if err != nil {
				c.problem("backup %s: %v", arn, err)
				return nil
			}
			known[b.ID] = true
			return c.backup(tx, b)
		})
		if err != nil {
			return err
		}
	}
	return eachBucket(tx, func(name []byte, _ *bucket) error {
		if len(name) == len(bucketName('b', 0)) && name[0] == 'b' && !known[binary.BigEndian.Uint64(name[1:])] {
			c.problem("the items in bucket %x belong to no backup", name)
		}
		return nil
	})
}

func (c *checker) backup(tx *bbolt.Tx, b *backup) error {
	items := bucketOf(tx, bucketName('b', b.ID))
	if items == nil {
		c.problem("backup %s has no bucket for its items", b.ARN)
		return nil
	}
	var size counts
	complete := b.Status == backupAvailable
	err := items.ForEach(func(key, stored []byte) error {
		value, err := unseal(key, stored)
		if err != nil {
			complete = false
			return nil // checker.values reports the damage
		}
		if len(value) == 0 {
			return nil // the item did not exist
		}
		if _, err := attr.DecodeItem(value); err != nil {
			c.problem("item %x of backup %s: %v", key, b.ARN, err)
		}
		size.items++
		size.bytes += int64(len(key) + len(value))
		return nil
	})
	if err == nil && complete && size != (counts{b.Items, b.Bytes}) {
		c.problem("backup %s has %d items of %d bytes, but should have %d items of %d bytes", b.ARN, size.items, size.bytes, b.Items, b.Bytes)
	}
	return err
}
