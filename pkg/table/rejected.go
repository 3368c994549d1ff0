package table

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Rejected reports whether err means that DynamoDB does not accept the content of a request, such as an item that is too
// large. The same request then fails again.
func Rejected(err error) bool {
	if canceled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return slices.ContainsFunc(canceled.CancellationReasons, func(r types.CancellationReason) bool {
			return rejects(aws.ToString(r.Code))
		})
	}
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && rejects(api.ErrorCode())
}

func rejects(code string) bool {
	switch code {
	case "ValidationException", "ValidationError", "ItemCollectionSizeLimitExceeded", "ItemCollectionSizeLimitExceededException":
		return true
	}
	return false
}
