package attr

import "errors"

// ValidationError means that a request is well formed but not acceptable.
// Clients see DynamoDB's ValidationException.
type ValidationError struct {
	Message string // DynamoDB's own wording
}

func (e *ValidationError) Error() string { return e.Message }

// SerializationError means that a request's JSON does not have the shape that
// the API requires. Clients see DynamoDB's SerializationException.
type SerializationError struct {
	Message string // DynamoDB's own wording
}

func (e *SerializationError) Error() string { return e.Message }

// ErrCorrupt means that stored bytes are not a valid encoding of this package.
var ErrCorrupt = errors.New("attr: corrupt encoding")

// DynamoDB's messages for numbers that it rejects.
const (
	msgNotNumeric = "The parameter cannot be converted to a numeric value"
	msgOverflow   = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	msgUnderflow  = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	msgPrecision  = "Attempting to store more than 38 significant digits in a Number"
)
