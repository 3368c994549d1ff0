package dynamolite

import (
	"fmt"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"go.etcd.io/bbolt"
)

// readOptions are the parameters that Query and Scan share.
type readOptions struct {
	TableName              *string
	IndexName              *string
	FilterExpression       *string
	ProjectionExpression   *string
	Select                 string
	Limit                  *int
	ExclusiveStartKey      attr.Item
	ConsistentRead         bool
	ReturnConsumedCapacity string
	placeholders
	legacy
}

func (o *readOptions) check() error {
	var c constraints
	c.returnConsumedCapacity(o.ReturnConsumedCapacity)
	c.tableName(o.TableName)
	if o.IndexName != nil {
		c.name("indexName", o.IndexName, 3)
	}
	c.enum("select", o.Select, "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
	if err := c.err(); err != nil {
		return err
	}
	if o.Select == "ALL_PROJECTED_ATTRIBUTES" && o.IndexName == nil {
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	}
	return nil
}

// reader checks the parameters against the table and returns a reader for the
// entire table or index.
func (e *Engine) reader(o *readOptions, filter expr.Condition, projection expr.Projection) (*reader, error) {
	t, err := e.table(*o.TableName)
	if err != nil {
		return nil, err
	}
	r := &reader{table: t, filter: filter}
	if o.Limit != nil {
		r.limit = *o.Limit
	}
	if o.IndexName != nil {
		if r.index = t.index(*o.IndexName); r.index == nil {
			return nil, invalid("The table does not have the specified index: " + *o.IndexName)
		}
	}
	if o.ConsistentRead && r.index != nil && !r.index.Local {
		return nil, invalid("Consistent reads are not supported on global secondary indexes")
	}
	if err := r.choose(o, projection); err != nil {
		return nil, err
	}
	if err := t.checkPaths(projection.Paths(), filter.Paths()); err != nil {
		return nil, err
	}
	return r, r.startAt(o.ExclusiveStartKey)
}

// choose sets which attributes of each item are returned.
func (r *reader) choose(o *readOptions, projection expr.Projection) error {
	if o.ProjectionExpression != nil && o.Select != "" && o.Select != "SPECIFIC_ATTRIBUTES" {
		return invalid("Cannot specify the ProjectionExpression when choosing to get " + o.Select)
	}
	partial := r.index != nil && r.index.Projection != "ALL"
	switch o.Select {
	case "COUNT":
		return nil
	case "SPECIFIC_ATTRIBUTES":
		if o.ProjectionExpression == nil {
			return invalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
		}
	case "ALL_ATTRIBUTES":
		if partial && !r.index.Local {
			return invalidParameters("Select type ALL_ATTRIBUTES is not supported for global secondary index " + r.index.Name + " because its projection type is not ALL")
		}
		r.fetch = true
	}
	r.project = projection.Apply
	if !partial {
		r.asStored = o.ProjectionExpression == nil && o.FilterExpression == nil
		return nil
	}
	for _, path := range projection.Paths() {
		projected := r.index.project(r.table, attr.Item{{Name: path.Head()}})
		switch {
		case len(projected) > 0:
		case r.index.Local:
			r.fetch = true
		default:
			return invalidParameters(fmt.Sprintf("Global secondary index %s does not project [%s]", r.index.Name, path.Head()))
		}
	}
	return nil
}

// readPage reads the page and returns the response.
func (e *Engine) readPage(r *reader, o *readOptions) (any, error) {
	out := readOutput{counted: r.project == nil}
	err := e.read(func(tx *bbolt.Tx) (err error) {
		out.page, err = r.read(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.consumed = consumed(o.ReturnConsumedCapacity, r.table, r.index, readUnits(out.size, o.ConsistentRead))
	return out, nil
}
