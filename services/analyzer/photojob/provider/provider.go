// Package provider is the interface of photo jobs to providers, which describe and
// edit photos: the local provider, and paid services.
//
// A provider makes one attempt for each call and never retries by itself: the caller
// records every call before it is made, and decides by the error's class whether to
// make another.
package provider

import (
	"context"
	"io"
	"time"
)

// Step is the purpose of a call.
type Step string

// Steps, in the order of a job.
const (
	Analyze Step = "analyze"
	Edit    Step = "edit"
)

// Provider describes and edits photos. It is safe for concurrent use. Errors are of
// type *Error, or the context's.
type Provider interface {
	// Limits returns the limits of a call of the step.
	Limits(Step) Limits
	// Analyze describes the photo of a call.
	Analyze(context.Context, Call) (Analysis, Usage, error)
	// Edit changes the photo of a call according to its prompt and options.
	Edit(context.Context, Call) (Edited, Usage, error)
	// Check reports whether calls would be accepted now. It is free of charge.
	Check(context.Context) error
}

// Limits are the limits of a provider. The caller prepares the photo
// accordingly.
type Limits struct {
	Bytes   int64         // of the encoded photo
	Longest int           // pixels of a side
	Formats []string      // MIME types
	Time    time.Duration // of a call; 0 for one that ends with its caller
	// Model is the model of the call, and CostMicros the maximum cost of one call,
	// in millionths of the currency of the price list.
	Model      string
	CostMicros int64
}

// Call is one request.
type Call struct {
	ID        string // of the job's ledger; unique
	Prompt    string
	Options   Options
	Image     []byte // upright, without metadata except for the color profile
	MediaType string // of Image

	// Keep stores the response of a service as it arrives, before it is parsed, and
	// returns the stored bytes. Nil keeps it in memory. It returns the reader's error
	// unchanged.
	Keep func(context.Context, io.Reader) ([]byte, error)
	// Answer is the response that Keep stored for this call earlier. If it is set, a
	// service is not called again.
	Answer []byte
}

// Options are requests in addition to the prompt. A zero value means no request.
// The prompt takes precedence.
type Options struct {
	Format        string // jpeg, png, webp
	Quality       int    // of a JPEG or WebP, 1 to 100; a WebP of 100 is lossless
	Width, Height int    // maximum, in pixels
	AspectRatio   string // such as 3:2
	Seed          int64
}

// Analysis is a provider's description of a photo.
type Analysis struct {
	Labels      []Label
	Description string
	SafeSearch  *SafeSearch // nil if the provider does not rate it
}

// Label names something in a photo.
type Label struct {
	Name       string
	Confidence float64 // 0 to 1
}

// SafeSearch holds likelihoods from VERY_UNLIKELY to VERY_LIKELY.
type SafeSearch struct{ Adult, Violence string }

// Edited is the result of an edit.
type Edited struct {
	Image         []byte
	Format        string // jpeg, png, webp
	Width, Height int    // pixels
	// Degraded describes for the owner what was not done as requested; "" if everything
	// was.
	Degraded string
}

// Usage is the usage and cost of a call.
type Usage struct {
	Model      string
	RequestID  string // of the provider; "" if it has none
	CostMicros int64  // millionths of the currency of the price list
	Estimated  bool   // the provider did not report it
}
