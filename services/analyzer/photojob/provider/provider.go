// Package provider defines the interface of the providers that describe and edit photos: the local
// provider and paid services.
//
// A provider makes one attempt for each call and never retries. The caller records every call
// before making it, and decides from the class of an error whether to make another.
package provider

import (
	"context"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// Step is the purpose of a call.
type Step string

// Steps, in the order of a job.
const (
	Analyze Step = "analyze"
	Edit    Step = "edit"
)

// Provider describes and edits photos. It must be safe for concurrent use. It returns errors of
// type *Error, or the error of the context.
type Provider interface {
	// Limits returns the limits of a call of the step.
	Limits(Step) Limits
	// Analyze describes the photo of a call.
	Analyze(context.Context, Call) (Analysis, Usage, error)
	// Edit changes the photo of a call according to its prompt and options.
	Edit(context.Context, Call) (Edited, Usage, error)
	// Check returns an error if calls would currently be rejected. It is free of charge.
	Check(context.Context) error
}

// Limits are the limits of a provider. The caller prepares the photo accordingly.
type Limits struct {
	Bytes   int64         // maximum size of the encoded photo
	Longest int           // maximum length of a side in pixels
	Formats []string      // MIME types
	Words   int           // maximum number of words in the prompt; 0 for any
	Time    time.Duration // timeout of a call; 0 for the deadline of the caller
	// Model is the model of the call, and CostMicros the maximum cost of one call,
	// in millionths of the currency of the price list.
	Model      string
	CostMicros int64
}

// Call is one request.
type Call struct {
	ID        string // unique id from the job's ledger
	Prompt    string
	Options   Options
	Image     []byte // upright, without metadata except for the color profile
	MediaType string // MIME type of Image

	// Keep stores the response of a service as received, before it is parsed, and returns the
	// stored bytes. If Keep is nil, the response is held in memory. Keep returns the reader's
	// errors unchanged.
	Keep func(context.Context, io.Reader) ([]byte, error)
	// Answer is a response that Keep stored for this call earlier. If it is set, the service is not
	// called again.
	Answer []byte
}

// Options are requests in addition to the prompt, which takes precedence. A zero value means no
// request.
type Options struct {
	Format        string // jpeg, png, webp, gif, avif
	Quality       int    // for JPEG and WebP, 1 to 100; WebP is lossless at 100
	Width, Height int    // maximum size in pixels
	AspectRatio   string // for example 3:2
	Seed          int64

	Tolerant bool   // use what can be read of a truncated photo
	Colors   string // keep or srgb; empty means keep
	// Requests that only the local provider receives.
	Operations []operation.Step
	Frames     string   // first or all; empty means first
	Keep       []string // metadata
	Outputs    []operation.Output
	Logos      map[string][]byte // the pictures of the Logo fields of Operations, as far as they exist
}

// Analysis is a provider's description of a photo.
type Analysis struct {
	Labels      []Label
	Description string
	SafeSearch  *SafeSearch // nil if the provider does not rate safety
}

// Label names something visible in a photo.
type Label struct {
	Name       string
	Confidence float64 // 0 to 1
}

// SafeSearch holds likelihoods from VERY_UNLIKELY to VERY_LIKELY.
type SafeSearch struct{ Adult, Violence string }

// Edited is the result of an edit.
type Edited struct {
	Image         []byte
	Format        string // jpeg, png, webp, gif, avif
	Width, Height int    // pixels
	// Degraded is a user-facing description of what was not done as requested; "" if everything
	// was.
	Degraded string
	Outputs  []Output // the results of Options.Outputs
}

// Output is a further result of an edit.
type Output struct {
	Image         []byte
	Format        string
	Width, Height int // pixels
}

// Usage is the usage and cost of a call.
type Usage struct {
	Model      string
	RequestID  string // the provider's id; "" if it has none
	CostMicros int64  // millionths of the currency of the price list
	Estimated  bool   // whether the cost is an estimate because the provider did not report usage
}
