package photojob

import "errors"

// ErrExists means that a job of this id was created before.
var ErrExists = errors.New("the job already exists")

// Codes of errors, as JobError.Code has them.
const (
	CodeUploadExpired       = "UPLOAD_EXPIRED"        // never uploaded
	CodeUploadMismatch      = "UPLOAD_MISMATCH"       // the bytes do not match the reservation, or are missing
	CodeUnsupportedFormat   = "UNSUPPORTED_FORMAT"    // not a photo of a known format
	CodeImageUnreadable     = "IMAGE_UNREADABLE"      // damaged
	CodeImageTooLarge       = "IMAGE_TOO_LARGE"       // of too many pixels
	CodePromptNotUnderstood = "PROMPT_NOT_UNDERSTOOD" // no phrase of it
	CodeProviderRejected    = "PROVIDER_REJECTED"     // the provider refuses the request
	CodeSafetyBlocked       = "SAFETY_BLOCKED"        // the provider refuses the content
	CodeBadAnswer           = "PROVIDER_BAD_ANSWER"   // no picture, or a damaged one
	CodeProviderUnavailable = "PROVIDER_UNAVAILABLE"
	CodeProviderTimeout     = "PROVIDER_TIMEOUT"
	CodeRateLimited         = "PROVIDER_RATE_LIMITED"
	CodeAccessDenied        = "PROVIDER_ACCESS_DENIED" // by the provider, to this installation
	CodeAnswerLost          = "PROVIDER_ANSWER_LOST"   // the limit of paid calls is reached, and no answer is stored
	CodeDeadlineExceeded    = "DEADLINE_EXCEEDED"
	CodeCancelled           = "CANCELLED" // by its owner
	CodeInternal            = "INTERNAL"
)
