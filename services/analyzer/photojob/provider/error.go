package provider

import (
	"errors"
	"fmt"
	"time"
)

// Class is what the caller does after an error.
type Class string

// Classes.
const (
	Retry     Class = "retry"     // call again, with backoff
	Defer     Class = "defer"     // wait for a limit or a breaker; no attempt is used
	Suspend   Class = "suspend"   // the provider refuses access until its settings change
	Unknown   Class = "unknown"   // the call may have been billed
	Permanent Class = "permanent" // the same call fails again
	Internal  Class = "internal"  // the fault is this system's
)

// Codes of the jobs' errors.
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
	UnsupportedFormat   = "UNSUPPORTED_FORMAT"
	InternalError       = "INTERNAL"
)

// Billed says whether a failed call costs.
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
	RetryAfter time.Duration // as the provider asks; 0 when it does not
	HTTP       int           // status of the answer; 0 without one
	RequestID  string
	Err        error // the reason, in words for the owner of the photo
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Code, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an error: Internal for one that is no *Error.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Internal
}
