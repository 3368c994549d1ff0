package globaltable

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Limits of one round.
const (
	concurrent = 16
	maxApplied = 500
)

// applyDue applies the changes to a region whose lag has passed, those of one item in order. Changes that cannot be
// applied now remain.
func (t *Table) applyDue(ctx context.Context, to *replica) {
	now := time.Now()
	var due []string // ids
	byItem := map[string][]change{}
	var later []change
	held := map[string]bool{} // items of changes that remain
	for i, c := range to.inbox {
		if i >= maxApplied || held[c.id] || c.due.After(now) || t.isolated(c.from) {
			later, held[c.id] = append(later, c), true
			continue
		}
		if byItem[c.id] == nil {
			due = append(due, c.id)
		}
		byItem[c.id] = append(byItem[c.id], c)
	}
	var mu sync.Mutex // of to and t
	var stuck []change
	slots := make(chan struct{}, concurrent)
	var applying sync.WaitGroup
	for _, id := range due {
		slots <- struct{}{}
		applying.Go(func() {
			defer func() { <-slots }()
			changes := byItem[id]
			for len(changes) > 0 && t.apply(ctx, to, changes[0], &mu) {
				changes = changes[1:]
			}
			mu.Lock()
			defer mu.Unlock()
			stuck = append(stuck, changes...)
		})
	}
	applying.Wait()
	to.inbox = append(stuck, later...)
}

// apply writes a change, unless the region has a later version. It reports whether it is done with the change.
func (t *Table) apply(ctx context.Context, to *replica, c change, mu *sync.Mutex) bool {
	mu.Lock()
	have := to.items[c.id]
	concurrent := have.version != c.base && have.version != c.version
	if !c.version.after(have.version) {
		if concurrent {
			t.conflicts[c.id]++
		}
		mu.Unlock()
		return true
	}
	mu.Unlock()
	written, err := t.write(ctx, to, have.item, c)
	mu.Lock()
	defer mu.Unlock()
	refused, stale := errors.AsType[*types.ConditionalCheckFailedException](err)
	switch {
	case stale && equal(refused.Item, c.item): // the response of an earlier attempt was lost
	case stale:
		return false // the region has changes that were not read yet
	case err != nil:
		to.failure = err
		to.echoes[c.id] = append(to.echoes[c.id], echo{c.state, true})
		return false
	}
	if written {
		to.echoes[c.id] = append(to.echoes[c.id], echo{c.state, false})
		t.applied++
	}
	to.items[c.id] = c.state
	if concurrent {
		t.conflicts[c.id]++
	}
	return true
}

// write replaces an item on the condition that the region still has it. It writes nothing if both are equal.
func (t *Table) write(ctx context.Context, to *replica, have item, c change) (written bool, err error) {
	if equal(have, c.item) {
		return false, nil
	}
	condition, names, values := t.same(have)
	all := types.ReturnValuesOnConditionCheckFailureAllOld
	if c.item == nil {
		_, err = to.DB.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &t.name, Key: c.key, ConditionExpression: &condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ReturnValuesOnConditionCheckFailure: all,
		})
	} else {
		_, err = to.DB.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &t.name, Item: c.item, ConditionExpression: &condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ReturnValuesOnConditionCheckFailure: all,
		})
	}
	return true, err
}

// same returns the condition that an item is equal to have, and does not exist if have is nil. Attributes that no item of
// any region has had are not compared.
func (t *Table) same(have item) (condition string, names map[string]string, values item) {
	names = map[string]string{}
	if have == nil {
		names["#k"] = t.keys[0]
		return "attribute_not_exists(#k)", names, nil
	}
	values = item{}
	var terms []string
	for i, name := range slices.Sorted(maps.Keys(t.names)) {
		n := strconv.Itoa(i)
		names["#"+n] = name
		if value, exists := have[name]; exists {
			values[":"+n] = value
			terms = append(terms, "#"+n+" = :"+n)
		} else {
			terms = append(terms, "attribute_not_exists(#"+n+")")
		}
	}
	return strings.Join(terms, " AND "), names, values
}
