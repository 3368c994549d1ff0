package provider

import (
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// Class determines how the caller continues after an error.
type Class string

// The classes of errors.
const (
	Retry     Class = "retry"     // call again, with backoff
	Defer     Class = "defer"     // wait for a limit or a circuit breaker, without using an attempt
	Suspend   Class = "suspend"   // the provider denies access until its settings change
	Unknown   Class = "unknown"   // the call may have been billed
	Permanent Class = "permanent" // the same call would fail again
	Internal  Class = "internal"  // an error in Assay
)

// Classes returns all classes.
func Classes() []Class { return []Class{Retry, Defer, Suspend, Unknown, Permanent, Internal} }

// Error codes of jobs.
const (
	RateLimited         = "PROVIDER_RATE_LIMITED"
	Unavailable         = "PROVIDER_UNAVAILABLE"
	BadAnswer           = "PROVIDER_BAD_ANSWER"
	Timeout             = "PROVIDER_TIMEOUT"
	AccessDenied        = "PROVIDER_ACCESS_DENIED"
	Rejected            = "PROVIDER_REJECTED"
	SafetyBlocked       = "SAFETY_BLOCKED"
	PromptNotUnderstood = "PROMPT_NOT_UNDERSTOOD"
	ImageUnreadable     = "IMAGE_UNREADABLE"
	ImageTooLarge       = "IMAGE_TOO_LARGE"
	ImageTooSmall       = "IMAGE_TOO_SMALL"
	UnsupportedFormat   = "UNSUPPORTED_FORMAT"
	InternalError       = "INTERNAL"
)

// Billed states whether a failed call is billed.
type Billed string

// Values of Billed. A call that was never sent is not billed.
const (
	NotBilled   Billed = "no"
	IsBilled    Billed = "yes"
	MaybeBilled Billed = "unknown"
)

// Error is a failed call.
type Error struct {
	Class      Class
	Code       string
	Billed     Billed
	RetryAfter time.Duration // delay requested by the provider, or 0
	HTTP       int           // status of the response, or 0
	RequestID  string
	Err        error // the reason, as a user-facing message
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Code, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an *Error, and Internal for other errors.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Internal
}

// PictureCode returns the code of an error of package pixels that another attempt with the same picture would meet
// again, and "" for other errors.
func PictureCode(err error) string {
	switch {
	case errors.Is(err, pixels.ErrTooLarge):
		return ImageTooLarge
	case errors.Is(err, pixels.ErrTooSmall):
		return ImageTooSmall
	case errors.Is(err, pixels.ErrFormat):
		return UnsupportedFormat
	case errors.Is(err, pixels.ErrUnreadable):
		return ImageUnreadable
	}
	return ""
}
