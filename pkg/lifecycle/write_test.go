package lifecycle_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// fixture has two tables of doors.
type fixture struct {
	db *dynamodb.Client
	t  *testing.T
}

func start(t *testing.T) *dynamodb.Client {
	t.Helper()
	db, _ := tabletest.Start(t)
	return db
}

type row = map[string]any

func build(t *testing.T, db *dynamodb.Client) fixture {
	t.Helper()
	for _, name := range []string{"doors", "log"} {
		err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: &dynamodb.CreateTableInput{
			TableName: &name, BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fixture{db, t}
}

func key(id string) table.Key { return table.Key{"id": &types.AttributeValueMemberS{Value: id}} }

func (h fixture) put(name string, r row) {
	h.t.Helper()
	item, err := attributevalue.MarshalMap(r)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.db.PutItem(h.t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
		h.t.Fatal(err)
	}
}

func (h fixture) get(name, id string) row {
	h.t.Helper()
	out, err := h.db.GetItem(h.t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: key(id), ConsistentRead: aws.Bool(true)})
	if err != nil {
		h.t.Fatal(err)
	}
	if out.Item == nil {
		return nil
	}
	var r row
	if err := attributevalue.UnmarshalMap(out.Item, &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

// turn is the fence of a writer that has seen turn 1.
var turn = lifecycle.Fence{Attribute: "turn", Seen: table.Integer(1), Next: table.Integer(2)}

func (h fixture) apply(move lifecycle.Move, fence lifecycle.Fence, items ...lifecycle.Item) error {
	_, err := door().Apply(h.t.Context(), h.db, move, lifecycle.Write{Fence: fence, Items: items})
	return err
}

// items returns the one or two items that a move of door d1 writes.
func items(both bool) []lifecycle.Item {
	front := lifecycle.Item{Table: "doors", Key: key("d1"), Set: map[string]table.Value{"by": table.Text("ann")}, Remove: []string{"note"}}
	if !both {
		return []lifecycle.Item{front}
	}
	return []lifecycle.Item{front, {Table: "log", Key: key("d1"), Set: map[string]table.Value{"line": table.Integer(2)}}}
}

func TestApply(t *testing.T) {
	shut := row{"id": "d1", "status": "SHUT", "turn": 1.0, "note": "oil it", "color": "red"}
	for name, c := range map[string]struct {
		before row // row of the first table; nil for none
		after  row // nil for unchanged
		check  func(error) bool
	}{
		"allowed": {
			before: shut, after: row{"id": "d1", "status": "OPEN", "turn": 2.0, "by": "ann", "color": "red"},
			check: func(err error) bool { return err == nil },
		},
		"another state": {
			before: row{"id": "d1", "status": "WALL", "turn": 1.0},
			check: func(err error) bool {
				var moved *lifecycle.MovedError
				return errors.As(err, &moved) && moved.Found == "WALL" && moved.Move == "open"
			},
		},
		"another state and fence": {
			before: row{"id": "d1", "status": "OPEN", "turn": 9.0},
			check: func(err error) bool {
				var moved *lifecycle.MovedError
				return errors.As(err, &moved) && moved.Found == "OPEN"
			},
		},
		"another fence": {
			before: row{"id": "d1", "status": "SHUT", "turn": 2.0},
			check:  func(err error) bool { return errors.Is(err, lifecycle.ErrFenceLost) },
		},
		"a fence of another type": {
			before: row{"id": "d1", "status": "SHUT", "turn": "1"},
			check:  func(err error) bool { return errors.Is(err, lifecycle.ErrFenceLost) },
		},
		"no item": {check: func(err error) bool { return errors.Is(err, lifecycle.ErrNotFound) }},
		"no readable state": {
			before: row{"id": "d1", "status": []any{"SHUT"}, "turn": 1.0},
			check:  func(err error) bool { return err != nil && strings.Contains(err.Error(), "status") },
		},
	} {
		for _, both := range []bool{false, true} {
			t.Run(map[bool]string{false: "one item: ", true: "two items: "}[both]+name, func(t *testing.T) {
				h := build(t, start(t))
				if c.before != nil {
					h.put("doors", c.before)
				}
				log := row{"id": "d1", "status": "SHUT", "turn": 1.0}
				h.put("log", log)
				err := h.apply(open, turn, items(both)...)
				if !c.check(err) {
					t.Errorf("got error %v, which this case does not expect", err)
				}
				after := c.after
				if after == nil {
					after = c.before
				}
				if got := h.get("doors", "d1"); !reflect.DeepEqual(got, after) {
					t.Errorf("got item %v, want %v", got, after)
				}
				if both && err == nil {
					log = row{"id": "d1", "status": "OPEN", "turn": 2.0, "line": 2.0}
				}
				if got := h.get("log", "d1"); !reflect.DeepEqual(got, log) {
					t.Errorf("got second item %v, want %v", got, log)
				}
			})
		}
	}
}

// TestInconsistentCopies checks that a failed condition of the second item is not
// reported as one of the first. A caller would otherwise conclude that the item is
// missing or final.
func TestInconsistentCopies(t *testing.T) {
	first := row{"id": "d1", "status": "SHUT", "turn": 1.0}
	for name, second := range map[string]row{
		"missing": nil, "in another state": {"id": "d1", "status": "WALL", "turn": 1.0}, "with another fence": {"id": "d1", "status": "SHUT", "turn": 2.0},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, start(t))
			h.put("doors", first)
			if second != nil {
				h.put("log", second)
			}
			err := h.apply(open, turn, items(true)...)
			_, moved := errors.AsType[*lifecycle.MovedError](err)
			if !errors.Is(err, lifecycle.ErrInconsistent) || moved || errors.Is(err, lifecycle.ErrNotFound) || errors.Is(err, lifecycle.ErrFenceLost) {
				t.Errorf("got error %v, want only ErrInconsistent", err)
			}
			if got := h.get("doors", "d1"); !reflect.DeepEqual(got, first) {
				t.Errorf("got first item %v, want %v", got, first)
			}
			if got := h.get("log", "d1"); !reflect.DeepEqual(got, second) {
				t.Errorf("got second item %v, want %v", got, second)
			}
		})
	}
}

// TestMoveWithoutAFence checks that only the state is checked without a fence.
func TestMoveWithoutAFence(t *testing.T) {
	for _, both := range []bool{false, true} {
		h := build(t, start(t))
		for _, name := range []string{"doors", "log"} {
			h.put(name, row{"id": "d1", "status": "SHUT", "turn": 7})
		}
		if err := h.apply(open, lifecycle.Fence{}, items(both)...); err != nil {
			t.Fatal(err)
		}
		if got, want := h.get("doors", "d1"), (row{"id": "d1", "status": "OPEN", "turn": 7.0, "by": "ann"}); !reflect.DeepEqual(got, want) {
			t.Errorf("got item %v, want %v", got, want)
		}
		err := h.apply(open, lifecycle.Fence{}, items(both)...)
		if moved, ok := errors.AsType[*lifecycle.MovedError](err); !ok || moved.Found != "OPEN" {
			t.Errorf("a second time: got error %v, want a MovedError from OPEN", err)
		}
	}
}

func TestMoveFromSeveralStates(t *testing.T) {
	h := build(t, start(t))
	for _, from := range brick.From {
		h.put("doors", row{"id": "d1", "status": string(from), "turn": 1})
		err := h.apply(brick, turn, items(false)...)
		if err != nil || h.get("doors", "d1")["status"] != "WALL" {
			t.Errorf("from %s: got state %v, error %v, want WALL", from, h.get("doors", "d1")["status"], err)
		}
	}
}

func TestOtherErrorsNameTheMove(t *testing.T) {
	h := build(t, start(t))
	for _, both := range []bool{false, true} {
		list := items(both)
		list[0].Table = "nowhere"
		err := h.apply(open, turn, list...)
		if err == nil || !strings.Contains(err.Error(), "open") {
			t.Errorf("got error %v, want one that names the move", err)
		}
	}
}
