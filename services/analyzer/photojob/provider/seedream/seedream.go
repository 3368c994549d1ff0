// Package seedream edits photos with the image generation API of ModelArk,
// documented at https://docs.byteplus.com/en/docs/ModelArk/1541523.
package seedream

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// Endpoint is the public address of the API outside China.
const Endpoint = "https://ark.ap-southeast.bytepluses.com/api/v3"

// Limits of the API.
const (
	maxBytes   = 10_000_000
	maxLongest = 4096 // thus at most 16.8 megapixels; the API accepts 36
	maxWords   = 600
)

// Config configures the calls of the API.
type Config struct {
	BaseURL    string
	Key        string
	Model      string
	CostMicros int64 // price of one picture
	Time       time.Duration
}

// Provider implements provider.Provider. It supports edits only.
type Provider struct {
	cfg     Config
	client  *http.Client
	decoder *pixels.Decoder
}

// New returns the provider. The caller remains responsible for closing the client and the decoder.
func New(cfg Config, client *http.Client, decoder *pixels.Decoder) *Provider {
	return &Provider{cfg, client, decoder}
}

// Limits returns the limits of the API, with the model and price from the settings.
func (p *Provider) Limits(provider.Step) provider.Limits {
	return provider.Limits{
		Bytes: maxBytes, Longest: maxLongest, Words: maxWords, Time: p.cfg.Time, Model: p.cfg.Model, CostMicros: p.cfg.CostMicros,
		Formats: []string{pixels.JPEG.MediaType(), pixels.PNG.MediaType()},
	}
}

// Check sends a request without a prompt, which is free. The API checks the key first.
func (p *Provider) Check(ctx context.Context) error {
	resp, err := remote.Send(ctx, p.client, p.request([]byte(`{}`), provider.Call{ID: "check"}))
	if err == nil && resp.Status != http.StatusOK && resp.Status != http.StatusBadRequest {
		return failed(resp)
	}
	return err
}

// Analyze returns an error because the API cannot describe photos.
func (p *Provider) Analyze(context.Context, provider.Call) (provider.Analysis, provider.Usage, error) {
	return provider.Analysis{}, provider.Usage{}, &provider.Error{
		Class: provider.Internal, Code: provider.InternalError, Billed: provider.NotBilled, Err: reason.ProviderNoDescription,
	}
}

func (p *Provider) request(body []byte, c provider.Call) remote.Request {
	return remote.Request{
		Method: http.MethodPost, URL: p.cfg.BaseURL + "/images/generations", Body: body, Keep: c.Keep,
		Header: http.Header{"Authorization": {"Bearer " + p.cfg.Key}, "X-Client-Request-Id": {c.ID}},
	}
}

// Edit requests a photo that is edited according to the prompt.
func (p *Provider) Edit(ctx context.Context, c provider.Call) (provider.Edited, provider.Usage, error) {
	usage := provider.Usage{Model: p.cfg.Model, CostMicros: p.cfg.CostMicros, Estimated: true}
	if words := len(strings.Fields(c.Prompt)); words > maxWords {
		return provider.Edited{}, usage, &provider.Error{
			Class: provider.Permanent, Code: provider.Rejected, Billed: provider.NotBilled,
			Err: reason.ProviderPrompt.Fill(words, maxWords),
		}
	}
	resp := remote.Response{Status: http.StatusOK, Body: c.Answer}
	if c.Answer == nil {
		body, err := p.body(c)
		if err != nil {
			return provider.Edited{}, usage, err
		}
		if resp, err = remote.Send(ctx, p.client, p.request(body, c)); err != nil {
			return provider.Edited{}, usage, err
		}
	}
	if resp.Status != http.StatusOK {
		return provider.Edited{}, usage, failed(resp)
	}
	answer := &response{from: resp}
	if err := json.Unmarshal(resp.Body, answer); err != nil {
		return provider.Edited{}, usage, remote.Bad(resp, "it does not match the documentation of the API: %w", err)
	}
	usage.RequestID = resp.Header.Get("X-Request-Id")
	picture, err := answer.picture()
	if err != nil {
		return provider.Edited{}, usage, err
	}
	if n := answer.Usage.GeneratedImages; n > 0 {
		usage.CostMicros, usage.Estimated = int64(n)*p.cfg.CostMicros, false
	}
	edited, err := remote.Edited(ctx, p.decoder, resp, picture, c)
	return edited, usage, err
}

// response contains the fields of a response that are used.
type response struct {
	Data []struct {
		B64JSON string `json:"b64_json"`
		Error   *apiError
	}
	Error *apiError
	Usage struct {
		GeneratedImages int `json:"generated_images"`
	}

	from remote.Response
}

func (r *response) picture() ([]byte, error) {
	if r.Error != nil {
		return nil, r.refused(r.Error)
	}
	if len(r.Data) == 0 {
		return nil, remote.Bad(r.from, "it has no picture")
	}
	first := r.Data[0]
	if first.Error != nil {
		return nil, r.refused(first.Error)
	}
	picture, err := base64.StdEncoding.DecodeString(first.B64JSON)
	switch {
	case err != nil:
		return nil, remote.Bad(r.from, "its picture is not valid base64: %w", err)
	case len(picture) == 0: // also if the response has a URL, which was not requested and is not followed
		return nil, remote.Bad(r.from, "it has no picture")
	}
	return picture, nil
}

// refused returns the error for a response with status 200 but no picture.
func (r *response) refused(e *apiError) error {
	if e.sensitive() {
		return remote.Blocked(r.from, provider.MaybeBilled, e.Code)
	}
	return remote.Bad(r.from, "%.100s: %.200s", e.Code, e.Message)
}
