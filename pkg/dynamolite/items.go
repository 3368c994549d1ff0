package dynamolite

import (
	"encoding/json"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"go.etcd.io/bbolt"
)

// writeOptions are the parameters common to all writes of one item.
type writeOptions struct {
	TableName                           *string
	ConditionExpression                 *string
	ReturnValues                        string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
	ReturnValuesOnConditionCheckFailure string
	placeholders
	legacy
}

// check reports constraint violations in DynamoDB's order. operand is the name
// of a required parameter: "item" or "key".
func (o *writeOptions) check(operand string, present bool) error {
	var c constraints
	c.returnConsumedCapacity(o.ReturnConsumedCapacity)
	c.required(operand, present)
	c.returnItemCollectionMetrics(o.ReturnItemCollectionMetrics)
	c.tableName(o.TableName)
	c.returnValues(o.ReturnValues)
	c.returnValuesOnConditionCheckFailure(o.ReturnValuesOnConditionCheckFailure)
	return c.err()
}

func (o *writeOptions) expression() expression {
	return expression{"ConditionExpression", o.ConditionExpression}
}

// parseCondition parses the condition, which is the only expression of the request.
func (o *writeOptions) parseCondition(known *expr.Cache) (expr.Condition, error) {
	if err := o.legacy.check(o.expression()); err != nil {
		return expr.Condition{}, err
	}
	scope, err := o.scope(o.expression())
	if err != nil {
		return expr.Condition{}, err
	}
	scope.Keep(known)
	cond, err := condition(scope, expr.ConditionExpression, o.ConditionExpression)
	if err != nil {
		return expr.Condition{}, err
	}
	return cond, scope.Unused()
}

// itemOutput is the response of all four operations on one item.
type itemOutput struct {
	name             string // name of the item in the response: Item or Attributes
	item             attr.Item
	ConsumedCapacity *consumedCapacity
	metrics          *itemCollectionMetrics
}

// AppendJSON appends the response as JSON. Few responses have members other than the
// item.
func (o itemOutput) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if o.item != nil {
		dst = append(append(append(dst, '"'), o.name...), `":`...)
		dst = o.item.AppendJSON(dst)
	}
	dst = appendMember(dst, "ConsumedCapacity", o.ConsumedCapacity)
	dst = appendMember(dst, "ItemCollectionMetrics", o.metrics)
	return append(dst, '}')
}

// appendMember appends a member of an object unless value is nil.
func appendMember[T any](dst []byte, name string, value *T) []byte {
	if value == nil {
		return dst
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic("dynamolite: " + name + ": " + err.Error()) // cannot fail for the types that callers use
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(append(dst, '"'), name...), `":`...), text...)
}

// output returns the response to a write that has taken effect.
func (o *writeOptions) output(a *action, key, attributes attr.Item) itemOutput {
	return itemOutput{
		name: "Attributes", item: attributes,
		ConsumedCapacity: consumedByWrite(o.ReturnConsumedCapacity, a.table, a.before, a.after, 1),
		metrics:          metrics(o.ReturnItemCollectionMetrics, a.table, key),
	}
}

// allOldOnly rejects return values that only UpdateItem supports.
func (o *writeOptions) allOldOnly() error {
	if o.ReturnValues != "" && o.ReturnValues != "NONE" && o.ReturnValues != "ALL_OLD" {
		return invalid("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}

// oldValues returns the attributes in the response to a put or a delete.
func (o *writeOptions) oldValues(a *action) attr.Item {
	if o.ReturnValues == "ALL_OLD" {
		return a.before
	}
	return nil
}

type putItemInput struct {
	Item attr.Item
	writeOptions
}

func (e *Engine) putItem(in *putItemInput) (any, error) {
	if err := in.check("item", in.Item != nil); err != nil {
		return nil, err
	}
	if err := in.allOldOnly(); err != nil {
		return nil, err
	}
	cond, err := in.parseCondition(&e.expressions)
	if err != nil {
		return nil, err
	}
	if err := checkItem(in.Item); err != nil {
		return nil, err
	}
	t, err := e.table(*in.TableName)
	if err != nil {
		return nil, err
	}
	a, err := putAction(t, in.Item, cond)
	if err != nil {
		return nil, err
	}
	if err := e.writeOne(a, in.ReturnValuesOnConditionCheckFailure); err != nil {
		return nil, err
	}
	return in.output(a, in.Item, in.oldValues(a)), nil
}

type deleteItemInput struct {
	Key attr.Item
	writeOptions
}

func (e *Engine) deleteItem(in *deleteItemInput) (any, error) {
	if err := in.check("key", in.Key != nil); err != nil {
		return nil, err
	}
	if err := in.allOldOnly(); err != nil {
		return nil, err
	}
	cond, err := in.parseCondition(&e.expressions)
	if err != nil {
		return nil, err
	}
	t, err := e.table(*in.TableName)
	if err != nil {
		return nil, err
	}
	a, err := keyAction(remove, t, in.Key, cond)
	if err != nil {
		return nil, err
	}
	if err := e.writeOne(a, in.ReturnValuesOnConditionCheckFailure); err != nil {
		return nil, err
	}
	return in.output(a, in.Key, in.oldValues(a)), nil
}

type updateItemInput struct {
	Key              attr.Item
	UpdateExpression *string
	writeOptions
}

// parseUpdate parses the expressions of an update, in UpdateItem or in a
// transaction.
func parseUpdate(known *expr.Cache, p placeholders, updateText, conditionText *string) (u expr.Update, cond expr.Condition, err error) {
	scope, err := p.scope(expression{"UpdateExpression", updateText}, expression{"ConditionExpression", conditionText})
	if err != nil {
		return u, cond, err
	}
	scope.Keep(known)
	if updateText != nil {
		if u, err = expr.ParseUpdate(scope, *updateText); err != nil {
			return u, cond, err
		}
	}
	if cond, err = condition(scope, expr.ConditionExpression, conditionText); err != nil {
		return u, cond, err
	}
	return u, cond, scope.Unused()
}

func (e *Engine) updateItem(in *updateItemInput) (any, error) {
	if err := in.check("key", in.Key != nil); err != nil {
		return nil, err
	}
	if err := in.legacy.check(expression{"UpdateExpression", in.UpdateExpression}, in.expression()); err != nil {
		return nil, err
	}
	u, cond, err := parseUpdate(&e.expressions, in.placeholders, in.UpdateExpression, in.ConditionExpression)
	if err != nil {
		return nil, err
	}
	t, err := e.table(*in.TableName)
	if err != nil {
		return nil, err
	}
	a, err := updateAction(t, in.Key, u, cond)
	if err != nil {
		return nil, err
	}
	if err := e.writeOne(a, in.ReturnValuesOnConditionCheckFailure); err != nil {
		return nil, err
	}
	var attributes attr.Item
	switch in.ReturnValues {
	case "ALL_OLD":
		attributes = a.before
	case "ALL_NEW":
		attributes = a.after
	case "UPDATED_OLD":
		attributes = touched(u, a.before)
	case "UPDATED_NEW":
		attributes = touched(u, a.after)
	}
	return in.output(a, in.Key, attributes), nil
}

// touched returns the part of item that the update writes, or nil if it is empty.
func touched(u expr.Update, item attr.Item) attr.Item {
	if part := u.Touched(item); len(part) > 0 {
		return part
	}
	return nil
}

type getItemInput struct {
	TableName              *string
	Key                    attr.Item
	ConsistentRead         bool
	ProjectionExpression   *string
	ReturnConsumedCapacity string
	placeholders
	legacy
}

// parseProjection parses the only expression of a read; without one, the
// projection selects entire items.
func parseProjection(p placeholders, text *string) (projection expr.Projection, err error) {
	scope, err := p.scope(expression{"ProjectionExpression", text})
	if err != nil || text == nil {
		return projection, err
	}
	if projection, err = expr.ParseProjection(scope, *text); err != nil {
		return projection, err
	}
	return projection, scope.Unused()
}

// getOne is the read of one item, by GetItem or as part of a batch or transaction.
type getOne struct {
	table      *table
	storage    []byte
	projection expr.Projection
}

// item returns the item and its requested attributes. Both are nil if there is no
// item.
func (g getOne) item(tx *bbolt.Tx) (item, projected attr.Item, err error) {
	item, _, err = readItem(tx, g.table, g.storage)
	if err != nil || item == nil {
		return nil, nil, err
	}
	return item, g.projection.Apply(item), nil
}

func (e *Engine) getItem(in *getItemInput) (any, error) {
	var c constraints
	c.returnConsumedCapacity(in.ReturnConsumedCapacity)
	c.required("key", in.Key != nil)
	c.tableName(in.TableName)
	if err := c.err(); err != nil {
		return nil, err
	}
	if err := in.legacy.check(expression{"ProjectionExpression", in.ProjectionExpression}); err != nil {
		return nil, err
	}
	projection, err := parseProjection(in.placeholders, in.ProjectionExpression)
	if err != nil {
		return nil, err
	}
	t, err := e.table(*in.TableName)
	if err != nil {
		return nil, err
	}
	storage, err := t.Key.fromKey(in.Key)
	if err != nil {
		return nil, err
	}
	if err := t.checkPaths(projection.Paths()); err != nil {
		return nil, err
	}
	var item attr.Item
	out := itemOutput{name: "Item"}
	err = e.read(func(tx *bbolt.Tx) (err error) {
		item, out.item, err = getOne{t, storage, projection}.item(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if in.ReturnConsumedCapacity != "" {
		out.ConsumedCapacity = consumed(in.ReturnConsumedCapacity, t, nil, readUnits(attr.Size(item), in.ConsistentRead))
	}
	return out, nil
}
