package outage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// Marking returns an option for a client of the AWS SDK: the error of a call without a usable response becomes an
// *Error.
func Marking(b Backend) func(*middleware.Stack) error {
	return initialize("OutageMarking", func(ctx context.Context, call func(context.Context) error) error {
		err := call(ctx)
		if answered(err) || ctx.Err() != nil {
			return err
		}
		return &Error{b, err}
	})
}

// Limiting is like Marking, and limits the time of each call with all of its attempts if its context is bounded. The
// client must read the response before the call returns. repeatable reports whether a rejection is temporary.
func Limiting(b Backend, repeatable func(error) bool) func(*middleware.Stack) error {
	return initialize("OutageLimiting", func(caller context.Context, call func(context.Context) error) error {
		ctx, left := caller, time.Duration(0)
		if limit, bounded := Left(caller, b); bounded {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(caller, limit)
			defer cancel()
			left = limit
		}
		began := time.Now()
		err := call(ctx)
		switch {
		case caller.Err() != nil:
			return err
		case answered(err):
			Ended(caller, b, began, true)
			if err != nil && repeatable(err) {
				err = &Error{b, err}
			}
			return err
		case ctx.Err() != nil:
			err = fmt.Errorf("no successful response from %s within %s in a request: %w", b, left, err)
		}
		Ended(caller, b, began, false)
		return &Error{b, err}
	})
}

// initialize returns an option that runs around with every call of a client.
func initialize(name string, around func(ctx context.Context, call func(context.Context) error) error) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc(name, func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			out middleware.InitializeOutput, metadata middleware.Metadata, err error,
		) {
			err = around(ctx, func(ctx context.Context) (err error) {
				out, metadata, err = next.HandleInitialize(ctx, in)
				return err
			})
			return out, metadata, err
		}), middleware.Before)
	}
}

// answered reports whether a later attempt at a call would have the same result: it succeeded, the backend rejected
// it, or the SDK rejected its parameters.
func answered(err error) bool {
	if err == nil {
		return true
	}
	_, invalid := errors.AsType[*smithy.InvalidParamsError](err)
	_, unserializable := errors.AsType[*smithy.SerializationError](err)
	if invalid || unserializable {
		return true
	}
	var code string
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	if _, throttled := retry.DefaultThrottleErrorCodes[code]; throttled {
		return false
	}
	response, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	if !ok {
		return false
	}
	status := response.HTTPStatusCode()
	// With another code, the server reports a lasting fault, such as a damaged object.
	lasting := status == http.StatusInternalServerError && !slices.Contains([]string{"", "InternalServerError", "InternalError"}, code)
	return lasting || status >= http.StatusMultipleChoices && status < http.StatusInternalServerError
}
