package web

import (
	"bytes"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Encoded is the JSON of a T as the body of a typed operation: a response that is encoded once and sent many times,
// or not encoded by encoding/json. The OpenAPI document has the schema of T.
type Encoded[T any] []byte

// Encode returns body in the encoding of all other responses.
func Encode[T any](body T) (Encoded[T], error) {
	var out bytes.Buffer
	if err := encode(&out, body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Schema implements huma.SchemaProvider.
func (e Encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

func (e Encoded[T]) encoded() []byte { return e }

// encoded is implemented by every Encoded.
type encoded interface{ encoded() []byte }
