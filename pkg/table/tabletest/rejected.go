package tabletest

import "github.com/aws/smithy-go"

// Rejected returns the error of DynamoDB for a request whose content it does not accept.
func Rejected() error {
	return &smithy.GenericAPIError{Code: "ValidationException", Message: "Number underflow"}
}
