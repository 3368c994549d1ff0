package table

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/smithy-go/middleware"
)

// TimeoutError is the error of an attempt at a request to which DynamoDB did not respond in time. The
// SDK retries the request.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("no response from DynamoDB within %s (ASSAY_DYNAMODB_TIMEOUT)", e.Limit)
}

// Timeout reports true, so that the SDK's retryer and other callers treat the error as a
// timeout.
func (e *TimeoutError) Timeout() bool { return true }

// inTime limits each attempt at a request, including the time to read its response, which is at
// most 16 MB.
func inTime(limit time.Duration) func(*middleware.Stack) error {
	bounded := middleware.FinalizeMiddlewareFunc("AttemptTimeout", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
		middleware.FinalizeOutput, middleware.Metadata, error,
	) {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{limit})
		defer cancel()
		out, metadata, err := next.HandleFinalize(ctx, in)
		if late, ok := errors.AsType[*TimeoutError](context.Cause(ctx)); err != nil && ok {
			err = late // not the context's error, which the SDK would not retry
		}
		return out, metadata, err
	})
	return func(stack *middleware.Stack) error { return stack.Finalize.Insert(bounded, "Retry", middleware.After) }
}
