package globaltable

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// id returns the values of the key of an item, as text.
func (t *Table) id(key item) string {
	var parts []string
	for _, name := range t.keys {
		switch v := key[name].(type) {
		case *types.AttributeValueMemberS:
			parts = append(parts, v.Value)
		case *types.AttributeValueMemberN:
			parts = append(parts, v.Value)
		case *types.AttributeValueMemberB:
			parts = append(parts, hex.EncodeToString(v.Value))
		}
	}
	return strings.Join(parts, " ")
}

// equal compares items, regardless of the order in sets.
func equal(a, b item) bool {
	if (a == nil) != (b == nil) || len(a) != len(b) {
		return false
	}
	for name, value := range a {
		if other, exists := b[name]; !exists || !reflect.DeepEqual(ordered(value), ordered(other)) {
			return false
		}
	}
	return true
}

// ordered returns a value with its sets in order.
func ordered(value types.AttributeValue) types.AttributeValue {
	switch v := value.(type) {
	case *types.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: slices.Sorted(slices.Values(v.Value))}
	case *types.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: slices.Sorted(slices.Values(v.Value))}
	case *types.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: slices.SortedFunc(slices.Values(v.Value), bytes.Compare)}
	case *types.AttributeValueMemberL:
		all := make([]types.AttributeValue, len(v.Value))
		for i := range v.Value {
			all[i] = ordered(v.Value[i])
		}
		return &types.AttributeValueMemberL{Value: all}
	case *types.AttributeValueMemberM:
		all := make(map[string]types.AttributeValue, len(v.Value))
		for name := range v.Value {
			all[name] = ordered(v.Value[name])
		}
		return &types.AttributeValueMemberM{Value: all}
	}
	return value
}
