package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Image contains the attributes of an item.
type Image = map[string]types.AttributeValue

// Fence is an attribute that every move of an item changes. The write succeeds only while the
// attribute has the value that the writer read, so a worker whose item was taken over can no longer
// write. The zero Fence adds no condition, which is enough if an item never returns to an earlier
// state.
type Fence struct {
	Attribute string
	Seen      types.AttributeValue
	Next      types.AttributeValue
}

// TimeFence returns a fence on an attribute that contains epoch milliseconds, and its next value. The
// value strictly increases, even if this machine's clock is behind that of the last writer.
func TimeFence(attribute string, seen int64, now time.Time) (Fence, int64) {
	next := max(now.UnixMilli(), seen+1)
	number := func(n int64) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
	}
	return Fence{Attribute: attribute, Seen: number(seen), Next: number(next)}, next
}

// Item is one DynamoDB item to write. Besides the state and the fence, a write changes the attributes
// below; no attribute may be named twice.
type Item struct {
	Table  string
	Key    map[string]types.AttributeValue
	Status string // the attribute that contains its state; the machine's by default

	Set    map[string]types.AttributeValue // attributes to set
	Put    []Member                        // members of map attributes to set; the maps must exist
	Remove []string                        // attributes to remove
	Add    map[string]types.AttributeValue // added to sets, which need not exist, or to numbers
	Delete map[string]types.AttributeValue // deleted from sets; an empty set is removed

	// Condition must hold as well. The zero value means no condition.
	Condition expression.ConditionBuilder
}

// Member is one member of a map attribute. Path names the attribute and then the member, whose name
// may be any text.
type Member struct {
	Path  []string
	Value types.AttributeValue
}

// Write describes what a move or an update writes atomically.
type Write struct {
	Fence Fence
	// Items are written in one transaction if there are several. The first is the source of truth and
	// determines the error.
	Items []Item
	// Also lists other writes and condition checks of the same transaction.
	Also []types.TransactWriteItem
	// Image requests the item as written. DynamoDB returns it for a single item only.
	Image bool
}

// undeclared returns an attribute that a write of the item changes and the move does not list, if there is one.
func (i Item) undeclared(move Move) (name string, ok bool) {
	names := slices.Concat(slices.Collect(maps.Keys(i.Set)), slices.Collect(maps.Keys(i.Add)), slices.Collect(maps.Keys(i.Delete)), i.Remove)
	for _, member := range i.Put {
		names = append(names, member.Path[0])
	}
	at := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(move.Writes, name) })
	if move.Writes == nil || at < 0 {
		return "", false
	}
	return names[at], true
}

// status returns the attribute that contains the state of an item.
func (m Machine) status(item Item) string { return cmp.Or(item.Status, m.Status) }

// placeholders are the names and values of an update. DynamoDB reserves many words, so every
// attribute gets a placeholder. These begin with a letter. The placeholders of the SDK's expression
// package, which builds the extra condition, begin with a digit. That package could also build the
// update, but takes ten times as long.
type placeholders struct {
	names  map[string]string
	values map[string]types.AttributeValue
}

func (p placeholders) name(path ...string) string {
	for i, name := range path {
		path[i] = "#n" + strconv.Itoa(len(p.names))
		p.names[path[i]] = name
	}
	return strings.Join(path, ".")
}

func (p placeholders) value(value types.AttributeValue) string {
	at := ":v" + strconv.Itoa(len(p.values))
	p.values[at] = value
	return at
}

// each builds an action for each attribute, in the order of their names.
func (p placeholders) each(attributes map[string]types.AttributeValue, between string) []string {
	var actions []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		actions = append(actions, p.name(name)+between+p.value(attributes[name]))
	}
	return actions
}

// compile returns the update of one item with its condition. A move without states writes no state
// and requires the item to exist.
func (m Machine) compile(move Move, fence Fence, item Item) (types.Update, error) {
	if name, ok := item.undeclared(move); ok {
		return types.Update{}, fmt.Errorf("the move does not declare that it writes the attribute %s", name)
	}
	p := placeholders{map[string]string{}, map[string]types.AttributeValue{}}
	status := p.name(m.status(item))
	condition := "attribute_exists(" + status + ")"
	var set, remove []string
	if len(move.From) > 0 {
		from := make([]string, len(move.From))
		for i, state := range move.From {
			from[i] = p.value(&types.AttributeValueMemberS{Value: string(state)})
		}
		condition = status + " IN (" + strings.Join(from, ", ") + ")"
		set = append(set, status+" = "+p.value(&types.AttributeValueMemberS{Value: string(move.To)}))
	}
	if fence.Attribute != "" {
		name := p.name(fence.Attribute)
		condition += " AND " + name + " = " + p.value(fence.Seen)
		set = append(set, name+" = "+p.value(fence.Next))
	}
	set = append(set, p.each(item.Set, " = ")...)
	for _, member := range item.Put {
		set = append(set, p.name(slices.Clone(member.Path)...)+" = "+p.value(member.Value))
	}
	for _, name := range item.Remove {
		remove = append(remove, p.name(name))
	}
	if item.Condition.IsSet() {
		extra, err := expression.NewBuilder().WithCondition(item.Condition).Build()
		if err != nil {
			return types.Update{}, err
		}
		condition += " AND (" + *extra.Condition() + ")"
		maps.Copy(p.names, extra.Names())
		maps.Copy(p.values, extra.Values())
	}
	update := clause("SET ", set) + clause("REMOVE ", remove) + clause("ADD ", p.each(item.Add, " ")) + clause("DELETE ", p.each(item.Delete, " "))
	return types.Update{
		TableName: &item.Table, Key: item.Key, UpdateExpression: &update, ConditionExpression: &condition,
		ExpressionAttributeNames: p.names, ExpressionAttributeValues: p.values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, nil
}

func clause(keyword string, actions []string) string {
	if len(actions) == 0 {
		return ""
	}
	return keyword + strings.Join(actions, ", ") + " "
}
