// Package gemini describes and edits photos by the Gemini API of Google, as it is
// documented at https://ai.google.dev/api/generate-content.
package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

// Endpoint is the public address of the API.
const Endpoint = "https://generativelanguage.googleapis.com"

// Limits of the API: a request with everything in it has at most 20 MB, and a larger
// picture is scaled down by the service.
const (
	maxBytes   = 4_000_000
	maxLongest = 3072
)

// Step is how the API is called for one step.
type Step struct {
	Model      string
	CostMicros int64 // the most that one call costs
	Time       time.Duration
}

// Config is how the API is called.
type Config struct {
	BaseURL string
	Key     string
	Analyze Step
	Edit    Step
}

// Provider implements provider.Provider.
type Provider struct {
	cfg     Config
	client  *http.Client
	decoder *pixels.Decoder
}

// New returns the provider. The client and the decoder are the caller's to close.
func New(cfg Config, client *http.Client, decoder *pixels.Decoder) *Provider {
	return &Provider{cfg, client, decoder}
}

func (p *Provider) step(s provider.Step) Step {
	if s == provider.Analyze {
		return p.cfg.Analyze
	}
	return p.cfg.Edit
}

// Limits are those of the API, with the model and price of the settings.
func (p *Provider) Limits(s provider.Step) provider.Limits {
	step := p.step(s)
	return provider.Limits{
		Bytes: maxBytes, Longest: maxLongest, Time: step.Time, Model: step.Model, CostMicros: step.CostMicros,
		Formats: []string{pixels.JPEG.MediaType(), pixels.PNG.MediaType(), pixels.WebP.MediaType()},
	}
}

// Check asks for the description of the model that edits, which costs nothing.
func (p *Provider) Check(ctx context.Context) error {
	resp, err := remote.Send(ctx, p.client, remote.Request{
		Method: http.MethodGet, URL: p.cfg.BaseURL + "/v1beta/models/" + url.PathEscape(p.cfg.Edit.Model), Header: p.header(),
	})
	if err == nil && resp.Status != http.StatusOK {
		return failed(resp, time.Now())
	}
	return err
}

func (p *Provider) header() http.Header { return http.Header{"X-Goog-Api-Key": {p.cfg.Key}} }

// Analyze asks for a description in the form of the seed. The prompt is not sent.
func (p *Provider) Analyze(ctx context.Context, c provider.Call) (provider.Analysis, provider.Usage, error) {
	answer, usage, err := p.generate(ctx, provider.Analyze, c, analysisRequest(c))
	if err != nil {
		return provider.Analysis{}, usage, err
	}
	found, err := answer.analysis()
	if err != nil {
		return provider.Analysis{}, usage, err
	}
	return found, usage, nil
}

// Edit asks for the photo as the prompt describes it.
func (p *Provider) Edit(ctx context.Context, c provider.Call) (provider.Edited, provider.Usage, error) {
	request, degraded := editRequest(c)
	answer, usage, err := p.generate(ctx, provider.Edit, c, request)
	if err != nil {
		return provider.Edited{}, usage, err
	}
	picture, mediaType, err := answer.picture()
	if err != nil {
		return provider.Edited{}, usage, err
	}
	edited, err := remote.Edited(ctx, p.decoder, answer.from, picture, mediaType, c)
	edited.Degraded = degraded
	return edited, usage, err
}

// generate makes a call, or reads the answer to one that was made.
func (p *Provider) generate(ctx context.Context, s provider.Step, c provider.Call, body request) (*response, provider.Usage, error) {
	step := p.step(s)
	usage := provider.Usage{Model: step.Model, CostMicros: step.CostMicros, Estimated: true} // by the price list
	resp := remote.Response{Status: http.StatusOK, Body: c.Answer}
	if c.Answer == nil {
		document, err := json.Marshal(body)
		if err != nil {
			return nil, usage, err
		}
		resp, err = remote.Send(ctx, p.client, remote.Request{
			Method: http.MethodPost, URL: p.cfg.BaseURL + "/v1beta/models/" + url.PathEscape(step.Model) + ":generateContent",
			Header: p.header(), Body: document, Keep: c.Keep,
		})
		if err != nil {
			return nil, usage, err
		}
	}
	if resp.Status != http.StatusOK {
		return nil, usage, failed(resp, time.Now())
	}
	answer := &response{from: resp}
	if err := json.Unmarshal(resp.Body, answer); err != nil {
		return nil, usage, remote.Bad(resp, "it is not what the API documents: %w", err)
	}
	usage.RequestID = answer.ResponseID
	return answer, usage, answer.blocked()
}
