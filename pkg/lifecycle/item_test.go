package lifecycle_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// shut is the item d1 of the table doors before each move.
var shut = row{"id": "d1", "status": "SHUT", "turn": 1.0, "keys": keySet{"a", "b"}, "hinges": row{}}

// keySet is stored as a string set.
type keySet []string

func (s keySet) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) { return set(s...), nil }

func (h fixture) doors() lifecycle.Item { return lifecycle.Item{Table: "doors", Key: key("d1")} }

func TestSetsNumbersAndMembers(t *testing.T) {
	h := build(t, start(t))
	h.put("doors", shut)
	change := h.doors()
	change.Add = map[string]types.AttributeValue{"opened": table.Integer(1), "guests": set("ann")}
	change.Delete = map[string]types.AttributeValue{"keys": set("a", "z")}
	change.Put = []lifecycle.Member{{Path: []string{"hinges", "up.per/1"}, Value: table.Text("oiled")}}
	image, err := door().Apply(t.Context(), h.db, open, lifecycle.Write{Fence: turn, Items: []lifecycle.Item{change}, Image: true})
	if err != nil {
		t.Fatal(err)
	}
	want := row{
		"id": "d1", "status": "OPEN", "turn": 2.0, "opened": 1.0, "guests": []string{"ann"}, "keys": []string{"b"},
		"hinges": row{"up.per/1": "oiled"},
	}
	var got row
	if err := attributevalue.UnmarshalMap(image, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got image %v, error %v, want %v", got, err, want)
	}
}

// TestLastMemberRemovesTheSet checks that deleting the last member removes the set. The join of
// parallel steps relies on this.
func TestLastMemberRemovesTheSet(t *testing.T) {
	h := build(t, start(t))
	h.put("doors", row{"id": "d1", "status": "SHUT", "keys": keySet{"a"}})
	change := h.doors()
	change.Delete = map[string]types.AttributeValue{"keys": set("a")}
	image, err := door().Apply(t.Context(), h.db, lifecycle.Move{Name: "hand out"}, lifecycle.Write{Items: []lifecycle.Item{change}, Image: true})
	if _, there := image["keys"]; err != nil || there || image["status"] == nil {
		t.Errorf("got image %v, error %v, want a status and no keys", image, err)
	}
}

func TestExtraCondition(t *testing.T) {
	h := build(t, start(t))
	for name, c := range map[string]struct {
		condition expression.ConditionBuilder
		fence     lifecycle.Fence
		want      error
	}{
		"holds":                     {expression.Name("color").AttributeNotExists(), turn, nil},
		"does not hold":             {expression.Name("color").AttributeExists(), turn, lifecycle.ErrCondition},
		"is one of two":             {expression.Name("color").AttributeExists().Or(expression.Name("turn").Equal(expression.Value(1))), turn, nil},
		"does not hold, no fence":   {expression.Name("color").AttributeExists(), lifecycle.Fence{}, lifecycle.ErrCondition},
		"does not hold, lost fence": {expression.Name("color").AttributeExists(), lifecycle.Fence{Attribute: "turn", Seen: table.Integer(7), Next: table.Integer(8)}, lifecycle.ErrFenceLost},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.put("doors", shut)
			change := h.doors()
			change.Condition = c.condition
			image, err := door().Apply(t.Context(), h.db, open, lifecycle.Write{Fence: c.fence, Items: []lifecycle.Item{change}})
			if !errors.Is(err, c.want) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
			if opened := h.get("doors", "d1")["status"] == "OPEN"; opened != (c.want == nil) {
				t.Errorf("got moved = %t, want %t", opened, c.want == nil)
			}
			// A failed move returns the item as found; a successful one returns no image here.
			if found := image["status"] != nil; found != (c.want != nil) {
				t.Errorf("got image %v, want one only with an error", image)
			}
		})
	}
}

// TestStatusAttributes checks that items of one move may have different status attributes.
func TestStatusAttributes(t *testing.T) {
	h := build(t, start(t))
	h.put("doors", row{"id": "d1", "state": "SHUT"})
	h.put("log", row{"id": "d1", "status": "SHUT"})
	m := door()
	m.Status = "state"
	second := lifecycle.Item{Table: "log", Key: key("d1"), Status: "status"}
	if _, err := m.Apply(t.Context(), h.db, open, lifecycle.Write{Items: []lifecycle.Item{h.doors(), second}}); err != nil {
		t.Fatal(err)
	}
	if a, b := h.get("doors", "d1"), h.get("log", "d1"); a["state"] != "OPEN" || b["status"] != "OPEN" || len(a) != 2 || len(b) != 2 {
		t.Errorf("got items %v and %v, want both open, each with its own status attribute", a, b)
	}
	_, err := m.Apply(t.Context(), h.db, open, lifecycle.Write{Items: []lifecycle.Item{h.doors(), second}})
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); !ok || moved.Found != "OPEN" {
		t.Errorf("a second time: got error %v, want a MovedError from OPEN", err)
	}
}

// TestOtherWrites checks that other writes and condition checks are part of the same transaction.
func TestOtherWrites(t *testing.T) {
	h := build(t, start(t))
	name := "log"
	write := lifecycle.Write{Fence: turn, Items: []lifecycle.Item{h.doors()}, Also: []types.TransactWriteItem{{Put: &types.Put{
		TableName: &name, Item: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "d1"}},
		ConditionExpression: aws.String("attribute_not_exists(id)"),
	}}}}
	h.put("doors", shut)
	if _, err := door().Apply(t.Context(), h.db, open, write); err != nil || h.get("log", "d1") == nil {
		t.Errorf("got log %v, error %v, want a row", h.get("log", "d1"), err)
	}
	h.put("doors", shut)
	if _, err := door().Apply(t.Context(), h.db, open, write); !errors.Is(err, lifecycle.ErrCondition) || h.get("doors", "d1")["status"] != "SHUT" {
		t.Errorf("got door %v, error %v, want SHUT and ErrCondition", h.get("doors", "d1")["status"], err)
	}
	second := lifecycle.Item{Table: "log", Key: key("d1"), Condition: expression.Name("line").AttributeExists()}
	h.put("log", row{"id": "d1", "status": "SHUT", "turn": 1})
	if err := h.apply(open, turn, h.doors(), second); !errors.Is(err, lifecycle.ErrCondition) {
		t.Errorf("the condition of the second item: got error %v, want ErrCondition", err)
	}
	write.Image = true
	if _, err := door().Apply(t.Context(), h.db, open, write); err == nil || !strings.Contains(err.Error(), "image") {
		t.Errorf("an image of a transaction: got error %v, want one about the image", err)
	}
}

// TestFenceUnderClocksThatDiffer checks that the fence increases while machines whose clocks
// differ by minutes take over an item in turns, and that no writer that read an earlier value can
// write.
func TestFenceUnderClocksThatDiffer(t *testing.T) {
	h := build(t, start(t))
	now := time.UnixMilli(1795176000000)
	clocks := []time.Duration{0, 7 * time.Minute, -5 * time.Minute, 7 * time.Minute, -time.Hour, 0, 3 * time.Minute}
	seen := now.UnixMilli()
	h.put("doors", row{"id": "d1", "status": "SHUT", "turn": seen})
	values := []int64{seen}
	for i, clock := range clocks {
		now = now.Add(time.Second)
		fence, next := lifecycle.TimeFence("turn", seen, now.Add(clock))
		if next <= seen {
			t.Fatalf("fence %d is %d, after %d; want a greater value", i, next, seen)
		}
		if err := h.apply(knock, fence, h.doors()); err != nil {
			t.Fatalf("fence %d: got error %v, want nil", i, err)
		}
		for _, old := range values {
			for _, other := range clocks {
				stale, _ := lifecycle.TimeFence("turn", old, now.Add(other))
				if err := h.apply(knock, stale, h.doors()); !errors.Is(err, lifecycle.ErrFenceLost) {
					t.Fatalf("a write with fence %d after %d, with a clock %s ahead: got error %v, want ErrFenceLost", old, next, other, err)
				}
			}
		}
		if slices.Contains(values, next) {
			t.Errorf("the fence %d was used before", next)
		}
		values, seen = append(values, next), next
	}
	if got := h.get("doors", "d1")["turn"]; got != float64(seen) {
		t.Errorf("the item has %v, want %d", got, seen)
	}
}
