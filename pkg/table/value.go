package table

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Value is the value of an attribute. Those who write an item for every upload make
// its values themselves: attributevalue finds out by reflection, in ten times the
// time, what they know.
type Value = types.AttributeValue

// Text is a string, also an empty one.
func Text(s string) Value { return &types.AttributeValueMemberS{Value: s} }

// Integer is a number.
func Integer(n int64) Value { return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)} }

// Decimal is a number, with the digits that tell it from all others.
func Decimal(x float64) Value {
	return &types.AttributeValueMemberN{Value: strconv.FormatFloat(x, 'f', -1, 64)}
}

// List is a list of values.
func List(values []Value) Value { return &types.AttributeValueMemberL{Value: values} }

// Map is a map of values by name.
func Map(values map[string]Value) Value { return &types.AttributeValueMemberM{Value: values} }

// TextOf returns the text of a value, empty if it is none.
func TextOf(value Value) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
