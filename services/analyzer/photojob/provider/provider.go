// Package provider is the port of photo jobs to what describes and edits a photo: the
// local provider, and services that are paid by the call.
//
// A provider makes one attempt for each call and never retries by itself: the caller
// records every call before it is made, and decides by the error's class whether
// there is another.
package provider

import (
	"context"
	"io"
	"time"
)

// Step is what a provider is called for.
type Step string

// Steps, in the order of a job.
const (
	Analyze Step = "analyze"
	Edit    Step = "edit"
)

// Provider describes and edits photos. It is safe for concurrent use. Errors are of
// type *Error, or the context's.
type Provider interface {
	// Limits are what a call of the step may carry.
	Limits(Step) Limits
	// Analyze describes the photo of a call.
	Analyze(context.Context, Call) (Analysis, Usage, error)
	// Edit changes the photo of a call as its prompt and options say.
	Edit(context.Context, Call) (Edited, Usage, error)
	// Check reports whether calls would be accepted now. It costs nothing.
	Check(context.Context) error
}

// Limits are what a provider accepts. The caller prepares the photo accordingly.
type Limits struct {
	Bytes   int64         // of the encoded photo
	Longest int           // pixels of a side
	Formats []string      // MIME types
	Time    time.Duration // of a call; 0 for one that ends with its caller
	// Model is what would be called, and CostMicros the most that one call costs, in
	// millionths of the currency of the price list.
	Model      string
	CostMicros int64
}

// Call is one request.
type Call struct {
	ID        string // of the job's ledger; unique
	Prompt    string
	Options   Options
	Image     []byte // upright, without metadata but the color profile
	MediaType string // of Image

	// Keep stores the answer of a service as it arrives, before it is read, and returns
	// what it stored. Nil keeps it in memory. It returns the error of the reader as it is.
	Keep func(context.Context, io.Reader) ([]byte, error)
	// Answer is what Keep stored of this call before. A service is then not called again.
	Answer []byte
}

// Options are wishes beside the prompt. The zero value of each is none. What the
// prompt says itself comes first.
type Options struct {
	Format        string // jpeg, png, webp
	Quality       int    // of a JPEG or WebP, 1 to 100; a WebP of 100 is lossless
	Width, Height int    // maximum, in pixels
	AspectRatio   string // such as 3:2
	Seed          int64
}

// Analysis is what a provider says of a photo.
type Analysis struct {
	Labels      []Label
	Description string
	SafeSearch  *SafeSearch // nil when the provider does not judge
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
	// Degraded says what was asked and not done, in words for the owner; "" for nothing.
	Degraded string
}

// Usage is what a call cost.
type Usage struct {
	Model      string
	RequestID  string // of the provider; "" when it has none
	CostMicros int64  // millionths of the currency of the price list
	Estimated  bool   // the provider did not say
}
