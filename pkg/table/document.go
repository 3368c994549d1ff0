package table

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

// Document is a JSON object that is stored in an attribute. Its numbers keep all of their digits: a number that is read
// from JSON or from an attribute is a float64 if that has all of its digits, otherwise a json.Number.
type Document map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (d *Document) UnmarshalJSON(data []byte) error {
	var found map[string]any
	if err := decode(data, &found); err != nil {
		return err
	}
	_, err := numbers(found)
	*d = found
	return err
}

// decode is like json.Unmarshal, but decodes numbers as json.Number.
func decode(data []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(value)
}

// numbers replaces the numbers of a decoded JSON value by those of a Document, in place.
func numbers(value any) (_ any, err error) {
	switch value := value.(type) {
	case json.Number:
		return shortest(string(value))
	case map[string]any:
		for name, member := range value {
			if value[name], err = numbers(member); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, element := range value {
			if value[i], err = numbers(element); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler.
func (d Document) MarshalDynamoDBAttributeValue() (Value, error) {
	if d == nil {
		return &types.AttributeValueMemberNULL{Value: true}, nil
	}
	return jsonValue(map[string]any(d))
}

// jsonValue returns the attribute of a value that encoding/json can marshal.
func jsonValue(value any) (Value, error) {
	switch value := value.(type) {
	case nil:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case string:
		return Text(value), nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: value}, nil
	case float64:
		n, ok := decimal.Of(value)
		if !ok {
			return nil, fmt.Errorf("%v is not a number in JSON", value)
		}
		return numberOf(n), nil
	case json.Number:
		n, ok := decimal.Parse(string(value))
		if !ok {
			return nil, fmt.Errorf("%q is not a number", value)
		}
		return numberOf(n), nil
	case map[string]any:
		members := make(map[string]Value, len(value))
		for name, member := range value {
			var err error
			if members[name], err = jsonValue(member); err != nil {
				return nil, err
			}
		}
		return Map(members), nil
	case []any:
		elements := make([]Value, len(value))
		for i, element := range value {
			var err error
			if elements[i], err = jsonValue(element); err != nil {
				return nil, err
			}
		}
		return List(elements), nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := decode(data, &plain); err != nil {
		return nil, err
	}
	return jsonValue(plain)
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler.
func (d *Document) UnmarshalDynamoDBAttributeValue(value Value) error {
	found, err := plainOf(value)
	if err != nil {
		return err
	}
	*d, _ = found.(map[string]any) // nil if the value is null
	return nil
}

// plainOf is the inverse of jsonValue.
func plainOf(value Value) (any, error) {
	switch value := value.(type) {
	case *types.AttributeValueMemberN:
		return shortest(value.Value)
	case *types.AttributeValueMemberB:
		return shortest(string(value.Value))
	case *types.AttributeValueMemberM:
		members := make(map[string]any, len(value.Value))
		for name, member := range value.Value {
			var err error
			if members[name], err = plainOf(member); err != nil {
				return nil, err
			}
		}
		return members, nil
	case *types.AttributeValueMemberL:
		elements := make([]any, len(value.Value))
		for i, element := range value.Value {
			var err error
			if elements[i], err = plainOf(element); err != nil {
				return nil, err
			}
		}
		return elements, nil
	}
	var found any
	return found, attributevalue.Unmarshal(value, &found)
}
