package photojob

// Values of JobError.Code.
const (
	CodeUploadExpired       = "UPLOAD_EXPIRED"        // never uploaded
	CodeUploadMismatch      = "UPLOAD_MISMATCH"       // the bytes are missing, or their number or digest differs from the reservation
	CodeUnsupportedFormat   = "UNSUPPORTED_FORMAT"    // not a photo of a known format
	CodeImageUnreadable     = "IMAGE_UNREADABLE"      // damaged
	CodeImageTooLarge       = "IMAGE_TOO_LARGE"       // too many pixels, or too much memory or time to decode
	CodeImageTooSmall       = "IMAGE_TOO_SMALL"       // a side is too short
	CodePromptNotUnderstood = "PROMPT_NOT_UNDERSTOOD" // no phrase of the prompt is known
	CodeProviderRejected    = "PROVIDER_REJECTED"     // the provider rejected the request
	CodeSafetyBlocked       = "SAFETY_BLOCKED"        // the provider rejected the content
	CodeBadAnswer           = "PROVIDER_BAD_ANSWER"   // the response contains no picture or a damaged one
	CodeProviderUnavailable = "PROVIDER_UNAVAILABLE"
	CodeProviderTimeout     = "PROVIDER_TIMEOUT"
	CodeRateLimited         = "PROVIDER_RATE_LIMITED"
	CodeAccessDenied        = "PROVIDER_ACCESS_DENIED" // the provider denied access to this installation
	CodeAnswerLost          = "PROVIDER_ANSWER_LOST"   // the limit of paid calls was reached without a stored response
	CodeDeadlineExceeded    = "DEADLINE_EXCEEDED"
	CodeCanceled            = "CANCELLED" // by the owner
	CodeInternal            = "INTERNAL"
)
