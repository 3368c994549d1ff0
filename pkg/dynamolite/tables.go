package dynamolite

import (
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// maxTableNames is the maximum number of names that ListTables returns.
const maxTableNames = 100

type tableOutput struct {
	Table            *tableDescription `json:",omitempty"` // DescribeTable
	TableDescription *tableDescription `json:",omitempty"` // all other operations
}

func tableUUID(id uint64) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", id) }

func (e *Engine) createTable(in *createTableInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	t, err := tableOf(in)
	if err != nil {
		return nil, err
	}
	if in.StreamSpecification != nil {
		if err := in.StreamSpecification.check(); err != nil {
			return nil, err
		}
	}
	err = e.write(func(w *writeTx) error {
		if _, exists := w.tables[t.Name]; exists {
			return inUse("Table already exists: " + t.Name)
		}
		t.CreatedAt = w.now
		t.Class = classOf(in.TableClass, w.now)
		if err := w.createBuckets(t); err != nil {
			return err
		}
		if in.StreamSpecification != nil && in.StreamSpecification.StreamEnabled {
			if err := w.openStream(t, in.StreamSpecification.StreamViewType); err != nil {
				return err
			}
		}
		return w.define(t)
	})
	if err != nil {
		return nil, err
	}
	d := t.describe("CREATING", counts{})
	return tableOutput{TableDescription: &d}, nil
}

// createBuckets assigns IDs to the table and its indexes and creates their
// buckets.
func (w *writeTx) createBuckets(t *table) (err error) {
	w.restructure()
	if t.ID, err = w.nextID(); err != nil {
		return err
	}
	for _, kind := range []byte{'i', 'e'} {
		if err := createBucket(w.tx, bucketName(kind, t.ID)); err != nil {
			return err
		}
	}
	for _, ix := range t.Indexes {
		if err := w.createIndex(ix); err != nil {
			return err
		}
	}
	return nil
}

func (w *writeTx) createIndex(ix *index) (err error) {
	if ix.ID, err = w.nextID(); err != nil {
		return err
	}
	err = createBucket(w.tx, bucketName('x', ix.ID))
	return err
}

// named checks the table name, the only parameter of the request, and returns the
// table.
func (e *Engine) named(in *tableInput) (*table, error) {
	var c constraints
	c.tableName(in.TableName)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, ok := (*e.catalog.Load())[*in.TableName]
	if !ok {
		return nil, tableNotFound(*in.TableName)
	}
	return t, nil
}

// settled is like named, for a request that changes the table, which must be active.
func (e *Engine) settled(in *tableInput) (*table, error) {
	t, err := e.named(in)
	if err == nil && t.status() != "ACTIVE" {
		err = inUse("Attempt to change a resource which is still in use: Table is being created: " + t.Name)
	}
	return t, err
}

func (e *Engine) describeTable(in *tableInput) (any, error) {
	t, err := e.named(in)
	if err != nil {
		return nil, err
	}
	d, err := e.describe(t, t.status())
	return tableOutput{Table: d}, err
}

func (e *Engine) describe(t *table, status string) (*tableDescription, error) {
	var d tableDescription
	err := e.read(func(tx *bbolt.Tx) error {
		size, err := readCounts(bucketOf(tx, countsBucket), binary.BigEndian.AppendUint64(nil, t.ID))
		d = t.describe(status, size)
		return err
	})
	return &d, err
}

func (e *Engine) listTables(in *listTablesInput) (any, error) {
	limit := maxTableNames
	if in.Limit != nil {
		limit = *in.Limit
		var c constraints
		switch {
		case limit < 1:
			c.add(fmt.Sprintf("'%d'", limit), "limit", "Member must have value greater than or equal to 1")
		case limit > maxTableNames:
			c.add(fmt.Sprintf("'%d'", limit), "limit", "Member must have value less than or equal to 100")
		}
		if err := c.err(); err != nil {
			return nil, err
		}
	}
	names := []string{}
	for name := range *e.catalog.Load() {
		if name > in.ExclusiveStartTableName {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := listTablesOutput{TableNames: names}
	if len(names) > limit {
		out.TableNames = names[:limit]
		out.LastEvaluatedTableName = names[limit-1]
	}
	return out, nil
}

func (e *Engine) deleteTable(in *tableInput) (any, error) {
	t, err := e.settled(in)
	if err != nil {
		return nil, err
	}
	if t.Copying != 0 {
		return nil, inUse("Attempt to change a resource which is still in use: A backup of the table is being created: " + t.Name)
	}
	if t.Protected {
		return nil, invalid("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	}
	d, err := e.describe(t, "DELETING")
	if err != nil {
		return nil, err
	}
	err = e.write(func(w *writeTx) error {
		if err := w.current(t); err != nil {
			return err
		}
		return w.drop(t)
	})
	return tableOutput{TableDescription: d}, err
}

// drop removes the table with its items and indexes. Its stream is closed and
// can be read until it is trimmed.
func (w *writeTx) drop(t *table) error {
	w.restructure()
	if t.Stream != nil && t.Stream.open() {
		if _, err := w.closeStream(t.Stream); err != nil {
			return err
		}
	}
	for _, kind := range []byte{'i', 'e'} {
		if err := deleteBucket(w.tx, bucketName(kind, t.ID)); err != nil {
			return err
		}
	}
	for _, ix := range t.Indexes {
		if err := deleteBucket(w.tx, bucketName('x', ix.ID)); err != nil {
			return err
		}
	}
	delete(w.counts, t.ID) // no later request of the group writes to the table
	if err := bucketOf(w.tx, countsBucket).Delete(binary.BigEndian.AppendUint64(nil, t.ID)); err != nil {
		return err
	}
	return w.undefine(t)
}
