package table

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Value is the value of an attribute. Code that writes an item for every upload builds its values
// with these functions: attributevalue uses reflection and takes ten times as long.
type Value = types.AttributeValue

// Text returns a string value, which may be empty.
func Text(s string) Value { return &types.AttributeValueMemberS{Value: s} }

// Integer returns a number value.
func Integer(n int64) Value { return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)} }

// Decimal returns a number value with the fewest digits that identify x.
func Decimal(x float64) Value {
	return &types.AttributeValueMemberN{Value: strconv.FormatFloat(x, 'f', -1, 64)}
}

// List returns a list value.
func List(values []Value) Value { return &types.AttributeValueMemberL{Value: values} }

// Map returns a map value.
func Map(values map[string]Value) Value { return &types.AttributeValueMemberM{Value: values} }

// TextOf returns the text of a value, or "" for other types.
func TextOf(value Value) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
