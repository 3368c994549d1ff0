package dynamolite

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"go.etcd.io/bbolt"
)

// Limits of one transaction.
const (
	maxActions          = 100
	maxTransactionBytes = 4 << 20
)

type transactAction struct {
	TableName                           *string
	Key                                 attr.Item
	Item                                attr.Item
	UpdateExpression                    *string
	ConditionExpression                 *string
	ReturnValuesOnConditionCheckFailure string
	placeholders
}

type transactItem struct {
	ConditionCheck, Put, Delete, Update *transactAction
}

type transactWriteItemsInput struct {
	TransactItems               []transactItem
	ClientRequestToken          string
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

type transactWriteItemsOutput struct {
	ConsumedCapacity      []*consumedCapacity                `json:",omitempty"`
	ItemCollectionMetrics map[string][]itemCollectionMetrics `json:",omitempty"`
}

func (in *transactWriteItemsInput) check() error {
	var c constraints
	c.returnConsumedCapacity(in.ReturnConsumedCapacity)
	c.returnItemCollectionMetrics(in.ReturnItemCollectionMetrics)
	if in.TransactItems == nil {
		c.required("transactItems", false)
	} else {
		c.length("transactItems", len(in.TransactItems), 1, maxActions, func() string {
			return "[" + strings.Repeat("TransactWriteItem, ", len(in.TransactItems)-1) + "TransactWriteItem]"
		})
	}
	if n := len(in.ClientRequestToken); n > maxToken {
		c.add("'"+in.ClientRequestToken+"'", "clientRequestToken", fmt.Sprintf("Member must have length less than or equal to %d", maxToken))
	}
	for i, item := range in.TransactItems {
		if x, v := item.chosen(); x != nil {
			c.inside = func() string {
				return fmt.Sprintf("transactItems.%d.member.%s.", i+1, [...]string{put: "put", update: "update", remove: "delete", check: "conditionCheck"}[v])
			}
			c.name("tableName", x.TableName, 1)
			if v == put {
				c.required("item", x.Item != nil)
			} else {
				c.required("key", x.Key != nil)
			}
			c.required("updateExpression", v != update || x.UpdateExpression != nil)
			c.required("conditionExpression", v != check || x.ConditionExpression != nil)
			c.enum("returnValuesOnConditionCheckFailure", x.ReturnValuesOnConditionCheckFailure, "ALL_OLD", "NONE")
		}
	}
	if err := c.err(); err != nil {
		return err
	}
	for _, item := range in.TransactItems {
		if x, _ := item.chosen(); x == nil {
			return invalid("TransactItems can only contain one of Check, Put, Update or Delete")
		}
	}
	return nil
}

// chosen returns the only action of the item, or nil if there is not exactly one.
func (i transactItem) chosen() (x *transactAction, v verb) {
	n := 0
	for kind, given := range []*transactAction{put: i.Put, update: i.Update, remove: i.Delete, check: i.ConditionCheck} {
		if given != nil {
			x, v = given, verb(kind)
			n++
		}
	}
	if n != 1 {
		return nil, 0
	}
	return x, v
}

// plan checks an action against its table. A mismatch with the table is a
// reason for cancellation; other errors fail the request.
func (e *Engine) plan(x *transactAction, v verb) (a *action, reason cancellationReason, err error) {
	reason.Code = "None"
	var u expr.Update
	var cond expr.Condition
	if v == update {
		u, cond, err = parseUpdate(&e.expressions, x.placeholders, x.UpdateExpression, x.ConditionExpression)
	} else {
		o := writeOptions{ConditionExpression: x.ConditionExpression, placeholders: x.placeholders}
		cond, err = o.parseCondition(&e.expressions)
	}
	if err != nil {
		return nil, reason, err
	}
	t, err := e.table(*x.TableName)
	if err != nil {
		return nil, reason, err
	}
	switch v {
	case put:
		if err := checkItem(x.Item); err != nil {
			return nil, reason, err
		}
		a, err = putAction(t, x.Item, cond)
	case update:
		a, err = updateAction(t, x.Key, u, cond)
	default:
		a, err = keyAction(v, t, x.Key, cond)
	}
	if err != nil {
		reason, err = unfit(err)
	}
	return a, reason, err
}

// unfit converts the error of one action into a reason for cancellation, unless
// the error fails the request.
func unfit(err error) (cancellationReason, error) {
	if _, ok := errors.AsType[errEmptyKey](err); ok {
		return cancellationReason{}, err
	}
	return cancellationReason{Code: "ValidationError", Message: clientError(err).message}, nil
}

func (e *Engine) transactWriteItems(in *transactWriteItemsInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	actions := make([]*action, len(in.TransactItems))
	reasons := make([]cancellationReason, len(actions))
	size := 0
	for i, item := range in.TransactItems {
		x, v := item.chosen()
		a, reason, err := e.plan(x, v)
		if err != nil {
			return nil, err
		}
		reasons[i] = reason
		if actions[i] = a; a == nil {
			continue
		}
		if slices.ContainsFunc(actions[:i], a.sameItem) {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		size += attr.Size(x.Item)
	}
	if size > maxTransactionBytes {
		return nil, invalid("Member must have length less than or equal to 4194304: the aggregate size of the items in the transaction exceeds 4 MB")
	}
	parameters := in.fingerprint()
	err := e.write(func(w *writeTx) error {
		for _, a := range actions {
			if a == nil {
				continue
			}
			if err := w.current(a.table); err != nil {
				return err
			}
		}
		if done, err := w.repeated(in.ClientRequestToken, parameters); done || err != nil {
			return err
		}
		if err := decideAll(w, actions, in.TransactItems, slices.Clone(reasons)); err != nil {
			return err
		}
		for _, a := range actions {
			if err := a.apply(w); err != nil {
				return err
			}
		}
		return w.remember(in.ClientRequestToken, parameters)
	})
	if err != nil {
		return nil, err
	}
	return in.output(actions), nil
}

// decideAll decides every action and returns TransactionCanceledException, with
// a reason for each, if one of them fails. An action that does not match its
// table is nil and already has its reason.
func decideAll(w *writeTx, actions []*action, items []transactItem, reasons []cancellationReason) error {
	failed := false
	for i, a := range actions {
		if a == nil {
			failed = true
			continue
		}
		err := a.decide(w)
		if err == nil {
			continue
		}
		failed = true
		if errors.Is(err, errCondition) {
			reasons[i] = cancellationReason{Code: "ConditionalCheckFailed", Message: msgConditionFailed}
			if x, _ := items[i].chosen(); x.ReturnValuesOnConditionCheckFailure == "ALL_OLD" {
				reasons[i].Item = a.before
			}
			continue
		}
		if isStoreError(err) {
			return err
		}
		reasons[i] = cancellationReason{Code: "ValidationError", Message: clientError(err).message}
	}
	if failed {
		return canceled(reasons)
	}
	return nil
}

func (in *transactWriteItemsInput) output(actions []*action) transactWriteItemsOutput {
	var out transactWriteItemsOutput
	for i, a := range actions {
		out.ConsumedCapacity = addConsumed(out.ConsumedCapacity, consumedByWrite(in.ReturnConsumedCapacity, a.table, a.before, a.after, 2))
		x, _ := in.TransactItems[i].chosen()
		key := x.Key
		if key == nil {
			key = x.Item
		}
		if m := metrics(in.ReturnItemCollectionMetrics, a.table, key); m != nil {
			if out.ItemCollectionMetrics == nil {
				out.ItemCollectionMetrics = map[string][]itemCollectionMetrics{}
			}
			out.ItemCollectionMetrics[a.table.Name] = append(out.ItemCollectionMetrics[a.table.Name], *m)
		}
	}
	return out
}

// addConsumed adds c, which may be nil, to the entry for its table in list.
func addConsumed(list []*consumedCapacity, c *consumedCapacity) []*consumedCapacity {
	if c == nil {
		return list
	}
	for _, other := range list {
		if other.TableName == c.TableName {
			other.add(c)
			return list
		}
	}
	return append(list, c)
}

type transactGet struct {
	TableName                *string
	Key                      attr.Item
	ProjectionExpression     *string
	ExpressionAttributeNames map[string]string
}

type transactGetItemsInput struct {
	TransactItems          []struct{ Get *transactGet }
	ReturnConsumedCapacity string
}

type itemResponse struct {
	Item attr.Item `json:",omitzero"`
}

type transactGetItemsOutput struct {
	Responses        []itemResponse
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

func (e *Engine) transactGetItems(in *transactGetItemsInput) (any, error) {
	var c constraints
	c.returnConsumedCapacity(in.ReturnConsumedCapacity)
	if in.TransactItems == nil {
		c.required("transactItems", false)
	} else {
		c.length("transactItems", len(in.TransactItems), 1, maxActions, func() string {
			return "[" + strings.Repeat("TransactGetItem, ", len(in.TransactItems)-1) + "TransactGetItem]"
		})
	}
	for i, item := range in.TransactItems {
		c.required(fmt.Sprintf("transactItems.%d.member.get", i+1), item.Get != nil)
		if item.Get != nil {
			c.name(fmt.Sprintf("transactItems.%d.member.get.tableName", i+1), item.Get.TableName, 1)
			c.required(fmt.Sprintf("transactItems.%d.member.get.key", i+1), item.Get.Key != nil)
		}
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	gets, err := e.planGets(in)
	if err != nil {
		return nil, err
	}
	var out transactGetItemsOutput
	err = e.read(func(tx *bbolt.Tx) error {
		for _, g := range gets {
			item, projected, err := g.item(tx)
			if err != nil {
				return err
			}
			out.Responses = append(out.Responses, itemResponse{projected})
			out.ConsumedCapacity = addConsumed(out.ConsumedCapacity, consumed(in.ReturnConsumedCapacity, g.table, nil, 2*readUnits(attr.Size(item), true)))
		}
		return nil
	})
	return out, err
}

// planGets checks the reads against their tables. An invalid key is a reason
// for cancellation.
func (e *Engine) planGets(in *transactGetItemsInput) ([]getOne, error) {
	gets := make([]getOne, len(in.TransactItems))
	reasons := make([]cancellationReason, len(gets))
	failed := false
	for i, item := range in.TransactItems {
		x := item.Get
		projection, err := parseProjection(placeholders{ExpressionAttributeNames: x.ExpressionAttributeNames}, x.ProjectionExpression)
		if err != nil {
			return nil, err
		}
		t, err := e.table(*x.TableName)
		if err != nil {
			return nil, err
		}
		reasons[i].Code = "None"
		storage, err := t.Key.fromKey(x.Key)
		if err != nil {
			if reasons[i], err = unfit(err); err != nil {
				return nil, err
			}
			failed = true
			continue
		}
		if slices.ContainsFunc(gets[:i], func(g getOne) bool { return g.table == t && bytes.Equal(g.storage, storage) }) {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		gets[i] = getOne{t, storage, projection}
	}
	if failed {
		return nil, canceled(reasons)
	}
	return gets, nil
}
