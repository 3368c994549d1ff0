package gemini_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
)

const price = 67_000

func newProvider(t *testing.T, url, key string) *gemini.Provider {
	t.Helper()
	return gemini.New(gemini.Config{
		BaseURL: url, Key: key,
		Analyze: gemini.Step{Model: geminitest.AnalyzeModel, CostMicros: 1_000, Time: 30 * time.Second},
		Edit:    gemini.Step{Model: geminitest.EditModel, CostMicros: price, Time: 2 * time.Minute},
	}, providertest.Client(t), pixels.NewDecoder(budget.New(1<<30), wasm.Config{}))
}

// TestEdit checks that the picture has the format and size of the call, that its cost is that of
// the price list, and that options that the request cannot express are reported.
func TestEdit(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	for name, test := range map[string]struct {
		options  provider.Options
		size     image.Point
		format   string
		degraded string
	}{
		"without options":   {provider.Options{}, image.Pt(160, 120), "jpeg", ""},
		"smaller png":       {provider.Options{Format: "png", Width: 80}, image.Pt(80, 60), "png", ""},
		"ratio":             {provider.Options{AspectRatio: "16:9", Seed: 4}, image.Pt(160, 120), "jpeg", ""},
		"unsupported ratio": {provider.Options{AspectRatio: "5:3"}, image.Pt(160, 120), "jpeg", "the provider does not support the aspect ratio 5:3"},
	} {
		t.Run(name, func(t *testing.T) {
			c := providertest.Call()
			c.Options = test.options
			e, usage, err := p.Edit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			config, format, err := image.DecodeConfig(bytes.NewReader(e.Image))
			if err != nil || image.Pt(config.Width, config.Height) != test.size || format != test.format || e.Format != format ||
				image.Pt(e.Width, e.Height) != test.size || e.Degraded != test.degraded {
				t.Errorf("got %s %+v %v: %s %d × %d, %q, want %s, %v, %q", format, config, err, e.Format, e.Width, e.Height, e.Degraded, test.format, test.size, test.degraded)
			}
			if want := (provider.Usage{Model: geminitest.EditModel, RequestID: "geminitest-1", CostMicros: price, Estimated: true}); usage != want {
				t.Errorf("got usage %+v, want %+v", usage, want)
			}
		})
	}
	if server.Billed() != server.Calls() || server.BilledFor(geminitest.EditModel) != 4 {
		t.Errorf("got %d calls, %d billed, want all calls billed", server.Calls(), server.Billed())
	}
}

// TestRequests compares the requests with those of the official SDK.
func TestRequests(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	c := providertest.Call()
	if _, _, err := p.Analyze(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	c.Options = provider.Options{Format: "png", AspectRatio: "16:9", Seed: 4}
	if _, _, err := p.Edit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	providertest.Golden(t, "analyze.json", server.Requests()[0])
	providertest.Golden(t, "edit.json", server.Requests()[1])
}

// TestAnalyze checks that the description matches the required schema and has no invalid values.
func TestAnalyze(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	a, usage, err := p.Analyze(t.Context(), providertest.Call())
	if err != nil || a.Description != "A hill above the sea." || len(a.Labels) != 2 || a.Labels[0] != (provider.Label{Name: "hill", Confidence: 0.98}) ||
		*a.SafeSearch != (provider.SafeSearch{Adult: "VERY_UNLIKELY", Violence: "VERY_UNLIKELY"}) || usage.CostMicros != 1_000 {
		t.Errorf("got %+v, %+v, %v, want the description of the server and cost 1000", a, usage, err)
	}
	odd := `{"description":"` + strings.Repeat("å", 5000) + `","labels":[{"name":"","confidence":1},{"name":"sea","confidence":7},{"name":"sky","confidence":0.5}],"safeSearch":{"adult":"MAYBE","violence":"LIKELY"}}`
	server.Next(providertest.Answer(geminitest.Candidate("STOP", map[string]any{"text": odd})))
	a, _, err = p.Analyze(t.Context(), providertest.Call())
	if err != nil || len([]rune(a.Description)) != 4000 || len(a.Labels) != 1 || a.Labels[0].Name != "sky" || a.SafeSearch != nil {
		t.Errorf("got %d characters, labels %+v, ratings %+v, %v, want 4000 characters, the label sky and no ratings", len([]rune(a.Description)), a.Labels, a.SafeSearch, err)
	}
	rated := bytes.ReplaceAll(geminitest.Candidate("STOP", map[string]any{"text": geminitest.Analysis}), []byte("NEGLIGIBLE"), []byte("HIGH"))
	server.Next(providertest.Answer(rated))
	a, _, err = p.Analyze(t.Context(), providertest.Call())
	if err != nil || a.SafeSearch == nil || a.SafeSearch.Adult != "LIKELY" {
		t.Errorf("got %+v, %v, want the higher rating of the API's filter", a.SafeSearch, err)
	}
	server.Next(providertest.Answer(geminitest.Candidate("STOP", map[string]any{"text": "A nice hill."})))
	if _, _, err = p.Analyze(t.Context(), providertest.Call()); !providertest.IsError(err, provider.Retry, provider.BadAnswer, provider.IsBilled) {
		t.Errorf("text instead of JSON: got %v, want %s", err, provider.BadAnswer)
	}
}

// TestFaults checks the class and code of every fault.
func TestFaults(t *testing.T) {
	server := geminitest.Start(t)
	status := func(code int, status string) providertest.Reply {
		return providertest.Status(code, "application/json", geminitest.Error(code, status, "no"))
	}
	candidate := func(reason string, parts ...map[string]any) providertest.Reply {
		return providertest.Answer(geminitest.Candidate(reason, parts...))
	}
	picture := func(data []byte) providertest.Reply {
		return providertest.Answer(geminitest.Picture(data, "image/png"))
	}
	bomb := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x4e\x20\x00\x00\x4e\x20\x08\x02\x00\x00\x00\x00\x00\x00\x00")
	blocked := providertest.Answer([]byte(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`))
	providertest.TestFaults(t, &server.Script, newProvider(t, server.URL, geminitest.Key), map[string]providertest.Fault{
		"429 in the body":    {Reply: geminitest.TooMany(geminitest.RetryInfo("55s")), Class: provider.Defer, Code: provider.RateLimited, Billed: provider.NotBilled, After: 55 * time.Second},
		"400":                {Reply: status(400, "INVALID_ARGUMENT"), Class: provider.Permanent, Code: provider.Rejected, Billed: provider.NotBilled},
		"billing disabled":   {Reply: status(400, "FAILED_PRECONDITION"), Class: provider.Suspend, Code: provider.AccessDenied, Billed: provider.NotBilled},
		"403":                {Reply: status(403, "PERMISSION_DENIED"), Class: provider.Suspend, Code: provider.AccessDenied, Billed: provider.NotBilled},
		"blocked prompt":     {Reply: blocked, Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: provider.IsBilled},
		"blocked image":      {Reply: candidate("IMAGE_SAFETY"), Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: provider.IsBilled},
		"no candidates":      providertest.Unusable(providertest.Answer([]byte(`{"candidates":[]}`))),
		"no image":           providertest.Unusable(candidate("NO_IMAGE")),
		"unknown reason":     providertest.Unusable(candidate("SOMETHING_NEW")),
		"text only":          providertest.Unusable(candidate("STOP", map[string]any{"text": "I cannot draw."})),
		"not base64":         providertest.Unusable(candidate("STOP", map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": "iVBORw0KG"}})),
		"truncated PNG":      providertest.Unusable(providertest.Body(halfPicture)),
		"HTML as a picture":  providertest.Unusable(picture([]byte("<html>"))),
		"decompression bomb": providertest.Unusable(picture(bomb)),
	})
}

// TestWrongMediaType checks that a valid picture is used if the response declares another media type: the call is billed,
// and the picture is encoded again anyway.
func TestWrongMediaType(t *testing.T) {
	server := geminitest.Start(t)
	server.Next(providertest.Answer(geminitest.Picture(providertest.Call().Image, "image/png")))
	edited, _, err := newProvider(t, server.URL, geminitest.Key).Edit(t.Context(), providertest.Call())
	if err != nil || edited.Width != 64 || edited.Height != 48 || edited.Format != "jpeg" {
		t.Errorf("got %s of %d × %d pixels, %v, want the JPEG of 64 × 48 pixels", edited.Format, edited.Width, edited.Height, err)
	}
}

// halfPicture truncates the picture of a response.
func halfPicture(answer []byte) []byte {
	var a struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					InlineData struct{ Data []byte } `json:"inlineData"`
				}
			}
		}
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		panic(err) // the server's response is always valid
	}
	data := a.Candidates[0].Content.Parts[1].InlineData.Data
	return geminitest.Picture(data[:len(data)/2], "image/png")
}

// TestPerDay checks that after the daily quota is used up, the call waits until midnight in
// California.
func TestPerDay(t *testing.T) {
	server := geminitest.Start(t)
	server.Next(geminitest.TooMany(geminitest.PerDay))
	_, _, err := newProvider(t, server.URL, geminitest.Key).Edit(t.Context(), providertest.Call())
	e, ok := errors.AsType[*provider.Error](err)
	if !ok || e.Class != provider.Defer {
		t.Fatalf("got error %v, want class %s", err, provider.Defer)
	}
	at := time.Now().Add(e.RetryAfter).In(time.FixedZone("PST", -8*60*60))
	if e.RetryAfter <= 0 || at.Add(time.Minute).Hour() != 0 {
		t.Errorf("got a retry after %s, at %s, want midnight", e.RetryAfter, at)
	}
}

// TestUnreachable checks that a request that was never sent is not billed.
func TestUnreachable(t *testing.T) {
	if _, _, err := newProvider(t, "http://127.0.0.1:1", geminitest.Key).Edit(t.Context(), providertest.Call()); !providertest.IsError(err, provider.Retry, provider.Unavailable, provider.NotBilled) {
		t.Errorf("got error %v, want %s, not billed", err, provider.Unavailable)
	}
}

// TestCheck checks that a rejected key suspends the provider, in a check and in a call.
func TestCheck(t *testing.T) {
	server := geminitest.Start(t)
	if err := newProvider(t, server.URL, geminitest.Key).Check(t.Context()); err != nil {
		t.Error(err)
	}
	revoked := newProvider(t, server.URL, "revoked")
	if err := revoked.Check(t.Context()); !providertest.IsError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) {
		t.Errorf("got error %v, want %s, not billed", err, provider.AccessDenied)
	}
	if _, _, err := revoked.Edit(t.Context(), providertest.Call()); !providertest.IsError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) || server.Billed() != 0 {
		t.Errorf("got error %v and %d billed calls, want %s and none", err, server.Billed(), provider.AccessDenied)
	}
}

// TestStoredAnswer checks that a response is stored before it is parsed, and that a stored response
// is parsed without a request.
func TestStoredAnswer(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	var kept []byte
	c := providertest.Call()
	c.Keep = func(_ context.Context, from io.Reader) (_ []byte, err error) {
		kept, err = io.ReadAll(from)
		return kept, err
	}
	first, _, err := p.Edit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	again := providertest.Call()
	again.Answer = kept
	second, usage, err := p.Edit(t.Context(), again)
	if err != nil || !bytes.Equal(first.Image, second.Image) || usage.CostMicros != price || server.Calls() != 1 {
		t.Errorf("got error %v, usage %+v, %d calls, want the same picture, cost %d and 1 call", err, usage, server.Calls(), price)
	}
	full := errors.New("the disk is full")
	c.Keep = func(context.Context, io.Reader) ([]byte, error) { return nil, full }
	if _, _, err := p.Edit(t.Context(), c); !errors.Is(err, full) {
		t.Errorf("with a response that cannot be stored: got %v, want %v", err, full)
	}
}

// TestCanceled checks that a canceled call returns the cause of its context.
func TestCanceled(t *testing.T) {
	server := geminitest.Start(t)
	why := errors.New("the worker is draining")
	ctx, cancel := context.WithCancelCause(t.Context())
	server.Next(func(x providertest.Exchange) {
		cancel(why)
		providertest.Silent(x)
	})
	if _, _, err := newProvider(t, server.URL, geminitest.Key).Edit(ctx, providertest.Call()); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}
