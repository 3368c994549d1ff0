package dynamolite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

// table is a table's definition. A published definition is never modified; an
// update publishes a modified copy.
type table struct {
	ID         uint64 // part of the names of its buckets; never reused
	Name       string
	Attributes []attributeDefinition
	Key        keySchema
	Indexes    []*index
	Billing    string // PROVISIONED or PAY_PER_REQUEST
	Throughput throughput
	Stream     *stream `json:",omitempty"` // the latest stream, even if it has been disabled
	TTL        string  `json:",omitempty"` // attribute with the expiry in epoch seconds; empty if TTL is disabled
	Protected  bool    `json:",omitempty"` // deletion protection
	CreatedAt  time.Time
	Class      *tableClass     `json:",omitempty"` // nil if it was never set
	Encryption *sseDescription `json:",omitempty"` // nil means a key that the service owns
	Tags       []tag           `json:",omitempty"` // sorted by key
	Recovery   *recovery       `json:",omitempty"` // continuous backups; nil if they are disabled
	Copying    uint64          `json:",omitempty"` // ID of the backup that is being created, or 0
	Restored   *restored       `json:",omitempty"` // the backup that the table was created from
	capacityLimits
	// The replicas of a global table would be stored here; UpdateTable rejects ReplicaUpdates.
}

// index is a secondary index: every item that has the index's key attributes
// has one entry in it.
type index struct {
	ID         uint64
	Name       string
	Key        keySchema
	Local      bool   // a local secondary index, which allows consistent reads and fetches unprojected attributes
	Projection string // ALL, KEYS_ONLY or INCLUDE
	Include    []string
	Throughput throughput
	capacityLimits
}

type attributeDefinition struct {
	AttributeName string
	AttributeType string
}

// throughput is stored and returned by DescribeTable, but not enforced.
type throughput struct {
	ReadCapacityUnits  int64
	WriteCapacityUnits int64
}

func (t *table) index(name string) *index {
	for _, ix := range t.Indexes {
		if ix.Name == name {
			return ix
		}
	}
	return nil
}

// entry returns the index key of item, which is stored under base, or nil if item
// lacks a key attribute of the index, or was left out of the index because its value is invalid.
func (ix *index) entry(item attr.Item, base []byte) []byte {
	if item == nil {
		return nil
	}
	for _, a := range ix.Key.attributes() {
		if !item.Has(a.Name) {
			return nil
		}
	}
	if ix.check(item) != nil {
		return nil
	}
	return append(ix.Key.encode(item), base...)
}

// check returns an error if item has an invalid value for a key attribute of the
// index.
func (ix *index) check(item attr.Item) error {
	for _, a := range ix.Key.attributes() {
		v, ok := item.Get(a.Name)
		if !ok {
			continue
		}
		if v.Kind != a.Kind {
			return invalidParameters(fmt.Sprintf("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", a.Name, a.Kind, v.Kind, ix.Name))
		}
		if v.Kind != attr.N && v.Str == "" {
			return emptyKey(v, "A value specified for a secondary index key is not supported. ", "IndexName: "+ix.Name+", IndexKey: "+a.Name)
		}
		limit := maxHashKey
		if a.Name != ix.Key.Hash.Name {
			limit = maxRangeKey
		}
		if len(v.Str) > limit {
			return invalidParameters(fmt.Sprintf("Size of the secondary index key %s has exceeded the maximum size limit of %d bytes. IndexName: %s", a.Name, limit, ix.Name))
		}
	}
	return nil
}

// project returns the attributes of item, an item of t, that the index contains.
func (ix *index) project(t *table, item attr.Item) attr.Item {
	if ix.Projection == "ALL" {
		return item
	}
	return item.Part(func(name string) bool {
		return t.Key.has(name) || ix.Key.has(name) || slices.Contains(ix.Include, name)
	})
}

// catalog is a snapshot of all table definitions, by name.
type catalog map[string]*table

// tablesBucket stores the definitions as JSON, by name.
var tablesBucket = []byte("tables")

// formatBucket exists in files of this format. Files without it have no checksums.
// Its key journalKey marks a file that is incomplete without its journal.
var (
	formatBucket = []byte("format 2")
	journalKey   = []byte("journal")
)

// createBuckets creates the buckets that every file has. It writes only to a new file, and fails
// for a file of an older format.
func (e *Engine) createBuckets() error {
	isNew := false
	err := e.db.View(func(tx *bbolt.Tx) error {
		isNew = bucketOf(tx, tablesBucket) == nil
		if !isNew && bucketOf(tx, formatBucket) == nil {
			return ErrOldFormat
		}
		return nil
	})
	if err != nil || !isNew {
		return err
	}
	return e.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{formatBucket, tablesBucket, streamsBucket, countsBucket, tokensBucket} {
			if err := createBucket(tx, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads the catalog.
func (e *Engine) load() error {
	tables := catalog{}
	err := e.db.View(func(tx *bbolt.Tx) error {
		return bucketOf(tx, tablesBucket).ForEach(func(name, stored []byte) error {
			definition, err := unseal(name, stored)
			if err != nil {
				return fmt.Errorf("definition of table %s: %w", name, err)
			}
			t := new(table)
			if err := json.Unmarshal(definition, t); err != nil {
				return fmt.Errorf("definition of table %s: %w", name, err)
			}
			tables[t.Name] = t
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("dynamolite: loading tables: %w", err)
	}
	e.catalog.Store(&tables)
	return nil
}

// table returns the current definition of an active table, or errNotFound.
func (e *Engine) table(name string) (*table, error) {
	t, ok := (*e.catalog.Load())[name]
	if !ok || t.status() != "ACTIVE" {
		return nil, errNotFound
	}
	return t, nil
}

// status returns the table's status in descriptions.
func (t *table) status() string {
	if t.Restored != nil && t.Restored.InProgress {
		return "CREATING"
	}
	return "ACTIVE"
}

// define adds t, or replaces the table of the same name.
func (w *writeTx) define(t *table) error {
	definition, err := json.Marshal(t)
	if err != nil {
		return err
	}
	w.restructure()
	w.tables = maps.Clone(w.tables)
	w.tables[t.Name] = t
	return bucketOf(w.tx, tablesBucket).Put([]byte(t.Name), seal([]byte(t.Name), definition))
}

// undefine removes the definition of t.
func (w *writeTx) undefine(t *table) error {
	w.restructure()
	w.tables = maps.Clone(w.tables)
	delete(w.tables, t.Name)
	return bucketOf(w.tx, tablesBucket).Delete([]byte(t.Name))
}

// nextID returns an ID that has never been used.
func (w *writeTx) nextID() (uint64, error) { return bucketOf(w.tx, tablesBucket).NextSequence() }
