package dynamolite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"go.etcd.io/bbolt"
)

// Limits of one batch.
const (
	maxBatchWrites = 25
	maxBatchGets   = 100
	maxBatchBytes  = 16 << 20 // size of the items returned by BatchGetItem
)

type writeRequest struct {
	PutRequest    *struct{ Item attr.Item } `json:",omitempty"`
	DeleteRequest *struct{ Key attr.Item }  `json:",omitempty"`
}

type batchWriteItemInput struct {
	RequestItems                map[string][]writeRequest
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

type batchWriteItemOutput struct {
	UnprocessedItems      map[string][]writeRequest
	ConsumedCapacity      []*consumedCapacity                `json:",omitempty"`
	ItemCollectionMetrics map[string][]itemCollectionMetrics `json:",omitempty"`
}

func (in *batchWriteItemInput) check() error {
	var c constraints
	c.returnConsumedCapacity(in.ReturnConsumedCapacity)
	c.returnItemCollectionMetrics(in.ReturnItemCollectionMetrics)
	if in.RequestItems == nil {
		c.required("requestItems", false)
	}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		requests := in.RequestItems[name]
		n += len(requests)
		if len(requests) == 0 || len(requests) > maxBatchWrites {
			c.add(fmt.Sprintf("'{%s=[%s]}'", name, strings.TrimSuffix(strings.Repeat("WriteRequest, ", len(requests)), ", ")), "requestItems",
				"Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")
		}
		c.name("requestItems", &name, 1)
	}
	switch err := c.err(); {
	case err != nil:
		return err
	case n == 0:
		return invalid("The requestItems parameter is required for BatchWriteItem")
	case n > maxBatchWrites:
		return invalid("Too many items requested for the BatchWriteItem call")
	}
	return nil
}

// plan checks the requests for one table and returns their actions.
func (in *batchWriteItemInput) plan(t *table) ([]*action, error) {
	actions := make([]*action, 0, maxBatchWrites)
	for _, r := range in.RequestItems[t.Name] {
		var a *action
		var err error
		switch {
		case r.PutRequest != nil && r.DeleteRequest == nil:
			if err = checkItem(r.PutRequest.Item); err == nil && !t.Key.fits(r.PutRequest.Item) {
				err = invalid(msgKeySchema)
			}
			if err == nil {
				a, err = putAction(t, r.PutRequest.Item, expr.Condition{})
			}
		case r.DeleteRequest != nil && r.PutRequest == nil:
			a, err = keyAction(remove, t, r.DeleteRequest.Key, expr.Condition{})
		default:
			err = invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(actions, func(other *action) bool { return string(other.storage) == string(a.storage) }) {
			return nil, invalid("Provided list of item keys contains duplicates")
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// batchWriteItem puts all requests into one commit. DynamoDB guarantees no
// atomicity beyond the single item, so callers must not rely on it.
func (e *Engine) batchWriteItem(in *batchWriteItemInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var actions []*action
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		t, err := e.table(name)
		if err != nil {
			return nil, err
		}
		planned, err := in.plan(t)
		if err != nil {
			return nil, err
		}
		actions = append(actions, planned...)
	}
	out := batchWriteItemOutput{UnprocessedItems: map[string][]writeRequest{}}
	for name, requests := range in.RequestItems {
		if e.faults.unprocessed("BatchWriteItem", name) {
			last := len(requests) - 1
			out.UnprocessedItems[name] = requests[last:]
			i := slices.IndexFunc(actions, func(a *action) bool { return a.table.Name == name })
			actions = slices.Delete(actions, i+last, i+last+1)
		}
	}
	err := e.write(func(w *writeTx) error {
		for _, a := range actions {
			if err := w.current(a.table); err != nil {
				return err
			}
			if err := a.decide(w); err != nil {
				return err
			}
		}
		for _, a := range actions {
			if err := a.apply(w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, a := range actions {
		out.ConsumedCapacity = addConsumed(out.ConsumedCapacity, consumedByWrite(in.ReturnConsumedCapacity, a.table, a.before, a.after, 1))
	}
	return out, nil
}

type keysAndAttributes struct {
	Keys                     []attr.Item
	ProjectionExpression     *string           `json:",omitempty"`
	ExpressionAttributeNames map[string]string `json:",omitempty"`
	ConsistentRead           bool              `json:",omitempty"`
}

type batchGetItemInput struct {
	RequestItems map[string]struct {
		keysAndAttributes
		legacy
	}
	ReturnConsumedCapacity string
}

type batchGetItemOutput struct {
	Responses        map[string][]attr.Item
	UnprocessedKeys  map[string]keysAndAttributes
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

func (in *batchGetItemInput) check() error {
	var c constraints
	c.returnConsumedCapacity(in.ReturnConsumedCapacity)
	if in.RequestItems == nil {
		c.required("requestItems", false)
	}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		keys := len(in.RequestItems[name].Keys)
		n += keys
		switch {
		case keys > maxBatchGets:
			c.violations = append(c.violations, fmt.Sprintf("Value at 'RequestItems.%s.member.Keys' failed to satisfy constraint: Member must have length less than or equal to %d", name, maxBatchGets))
		case keys == 0:
			c.violations = append(c.violations, fmt.Sprintf("Value at 'RequestItems.%s.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1", name))
		}
		c.name("requestItems", &name, 1)
	}
	switch err := c.err(); {
	case err != nil:
		return err
	case n == 0:
		return invalid("The requestItems parameter is required for BatchGetItem")
	case n > maxBatchGets:
		return invalid("Too many items requested for the BatchGetItem call")
	}
	return nil
}

func (e *Engine) batchGetItem(in *batchGetItemInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(in.RequestItems))
	gets := map[string][]getOne{}
	for _, name := range names {
		x := in.RequestItems[name]
		if err := x.legacy.check(expression{"ProjectionExpression", x.ProjectionExpression}); err != nil {
			return nil, err
		}
		projection, err := parseProjection(placeholders{ExpressionAttributeNames: x.ExpressionAttributeNames}, x.ProjectionExpression)
		if err != nil {
			return nil, err
		}
		t, err := e.table(name)
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, key := range x.Keys {
			storage, err := t.Key.fromKey(key)
			if err != nil {
				return nil, err
			}
			if seen[string(storage)] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[string(storage)] = true
			gets[name] = append(gets[name], getOne{t, storage, projection})
		}
	}
	out := batchGetItemOutput{Responses: map[string][]attr.Item{}, UnprocessedKeys: map[string]keysAndAttributes{}}
	size := 0
	err := e.read(func(tx *bbolt.Tx) error {
		for _, name := range names {
			x := in.RequestItems[name]
			out.Responses[name] = []attr.Item{}
			end := len(gets[name])
			if e.faults.unprocessed("BatchGetItem", name) {
				end--
			}
			i, units := 0, 0.0
			for ; i < end && size < maxBatchBytes; i++ {
				item, projected, err := gets[name][i].item(tx)
				if err != nil {
					return err
				}
				units += readUnits(attr.Size(item), x.ConsistentRead)
				if item == nil {
					continue
				}
				if size += attr.Size(item); size > maxBatchBytes {
					break
				}
				out.Responses[name] = append(out.Responses[name], projected)
			}
			if i < len(gets[name]) {
				rest := x.keysAndAttributes
				rest.Keys = x.Keys[i:]
				out.UnprocessedKeys[name] = rest
			}
			out.ConsumedCapacity = addConsumed(out.ConsumedCapacity, consumed(in.ReturnConsumedCapacity, gets[name][0].table, nil, units))
		}
		return nil
	})
	return out, err
}
