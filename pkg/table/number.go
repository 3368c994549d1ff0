package table

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

// Range of numbers in DynamoDB, in the powers of ten of their first digits.
const (
	maxDigits    = 38
	minMagnitude = -130
	maxMagnitude = 125
)

// ErrNumber means that DynamoDB cannot store a number.
var ErrNumber = errors.New("a number has at most 38 significant digits, and its magnitude is 0 or 1E-130 to 9.99E125")

// CheckNumber returns ErrNumber if DynamoDB cannot store n.
func CheckNumber(n decimal.Number) error {
	if n.Digits() > maxDigits || n.Exponent() < minMagnitude || n.Exponent() > maxMagnitude {
		return ErrNumber
	}
	return nil
}

// numberOf returns a number value. A number that DynamoDB cannot store as such becomes its text in a binary
// value, a type that JSON does not have.
func numberOf(n decimal.Number) Value {
	if CheckNumber(n) != nil {
		return &types.AttributeValueMemberB{Value: []byte(n.String())}
	}
	return &types.AttributeValueMemberN{Value: n.String()}
}

// shortest returns the number in a text as a float64 if that has all of its digits, otherwise as a json.Number. Equal
// numbers become equal values.
func shortest(text string) (any, error) {
	n, ok := decimal.Parse(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	if x, exact := n.Float64(); exact {
		return x, nil
	}
	return json.Number(n.String()), nil
}
