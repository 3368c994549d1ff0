package lifecycle

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

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

// compile returns the update of one item with its condition. A move without states
// writes no state and needs the item to exist.
func (m Machine) compile(move Move, fence Fence, item Item) (types.Update, error) {
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
