package table

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ErrCursor means that a paging cursor does not belong to this list.
var ErrCursor = errors.New("the cursor was not issued by this list")

// Key is a DynamoDB key, at which a page ends or starts.
type Key = map[string]types.AttributeValue

// Cursor encodes a page's last key as opaque URL-safe text, empty for none. scope names the list,
// so that another list rejects its cursors. It is neither secret nor signed: a client can forge
// one, so a list must check that the key is one of its own.
func Cursor(scope string, last Key) (string, error) {
	if len(last) == 0 {
		return "", nil
	}
	c := cursor{scope, map[string]keyValue{}}
	for name, value := range last {
		switch value := value.(type) {
		case *types.AttributeValueMemberS:
			c.Key[name] = keyValue{S: &value.Value}
		case *types.AttributeValueMemberN:
			c.Key[name] = keyValue{N: &value.Value}
		case *types.AttributeValueMemberB:
			c.Key[name] = keyValue{B: &value.Value}
		default:
			return "", fmt.Errorf("cursor: %s is a %T, which is not a key type", name, value)
		}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("cursor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(data), nil
}

// ParseCursor decodes what Cursor encoded for the same scope. Empty text is the start of the list.
// It returns ErrCursor for anything else.
func ParseCursor(scope, text string) (Key, error) {
	if text == "" {
		return nil, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrCursor
	}
	var c cursor
	if json.Unmarshal(data, &c) != nil || c.Scope != scope || len(c.Key) == 0 {
		return nil, ErrCursor
	}
	key := Key{}
	for name, value := range c.Key {
		switch {
		case value.S != nil:
			key[name] = &types.AttributeValueMemberS{Value: *value.S}
		case value.N != nil:
			key[name] = &types.AttributeValueMemberN{Value: *value.N}
		case value.B != nil:
			key[name] = &types.AttributeValueMemberB{Value: *value.B}
		default:
			return nil, ErrCursor
		}
	}
	return key, nil
}

type cursor struct {
	Scope string              `json:"s"`
	Key   map[string]keyValue `json:"k"`
}

// keyValue is the value of a key attribute, one of the three types that
// DynamoDB allows for it.
type keyValue struct {
	S *string `json:"S,omitempty"`
	N *string `json:"N,omitempty"`
	B *[]byte `json:"B,omitempty"`
}
