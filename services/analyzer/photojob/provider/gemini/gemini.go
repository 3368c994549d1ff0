// Package gemini describes and edits photos with Google's Gemini API, documented at
// https://ai.google.dev/api/generate-content.
package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// Endpoint is the public address of the API.
const Endpoint = "https://generativelanguage.googleapis.com"

// Limits of the API: a request has at most 20 MB in total, and the service scales larger pictures
// down.
const (
	maxBytes   = 4_000_000
	maxLongest = 3072
)

// Step configures the calls of one step.
type Step struct {
	Model      string
	CostMicros int64 // maximum cost of one call
	Time       time.Duration
}

// Config configures the calls of the API.
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

// New returns the provider. The caller remains responsible for closing the client and the decoder.
func New(cfg Config, client *http.Client, decoder *pixels.Decoder) *Provider {
	return &Provider{cfg, client, decoder}
}

func (p *Provider) step(s provider.Step) Step {
	if s == provider.Analyze {
		return p.cfg.Analyze
	}
	return p.cfg.Edit
}

// Limits returns the limits of the API, with the model and price from the settings.
func (p *Provider) Limits(s provider.Step) provider.Limits {
	step := p.step(s)
	return provider.Limits{
		Bytes: maxBytes, Longest: maxLongest, Time: step.Time, Model: step.Model, CostMicros: step.CostMicros,
		Formats: []string{pixels.JPEG.MediaType(), pixels.PNG.MediaType(), pixels.WebP.MediaType()},
	}
}

// Check requests the description of the editing model, which is free.
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

// Analyze requests a description in the required JSON schema. It does not send the prompt.
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

// Edit requests a photo that is edited according to the prompt.
func (p *Provider) Edit(ctx context.Context, c provider.Call) (provider.Edited, provider.Usage, error) {
	request, degraded := editRequest(c)
	answer, usage, err := p.generate(ctx, provider.Edit, c, request)
	if err != nil {
		return provider.Edited{}, usage, err
	}
	picture, err := answer.picture()
	if err != nil {
		return provider.Edited{}, usage, err
	}
	edited, err := remote.Edited(ctx, p.decoder, answer.from, picture, c)
	edited.Degraded = degraded
	return edited, usage, err
}

// generate makes a call, or parses the stored response to an earlier one.
func (p *Provider) generate(ctx context.Context, s provider.Step, c provider.Call, body request) (*response, provider.Usage, error) {
	step := p.step(s)
	usage := provider.Usage{Model: step.Model, CostMicros: step.CostMicros, Estimated: true} // the response does not state the cost
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
		return nil, usage, remote.Bad(resp, "it does not match the documentation of the API: %w", err)
	}
	usage.RequestID = answer.ResponseID
	return answer, usage, answer.blocked()
}
