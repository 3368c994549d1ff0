package gemini_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/analyzer/pixels"
	"github.com/assay-project/assay/services/analyzer/pixels/scene"
)

const price = 67_000

func newProvider(t *testing.T, url, key string) *gemini.Provider {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return gemini.New(gemini.Config{
		BaseURL: url, Key: key,
		Analyze: gemini.Step{Model: geminitest.AnalyzeModel, CostMicros: 1_000, Time: 30 * time.Second},
		Edit:    gemini.Step{Model: geminitest.EditModel, CostMicros: price, Time: 2 * time.Minute},
	}, client, pixels.NewDecoder(1<<30))
}

func photo(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scene.New(320, 240, 1), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func call(t *testing.T) provider.Call {
	return provider.Call{ID: "01JD/1", Prompt: "a red boat", Image: photo(t), MediaType: "image/jpeg"}
}

// TestEdit: a picture of the answer in the format and size of the call, at the price of
// the list; what the request cannot carry is reported.
func TestEdit(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	for name, test := range map[string]struct {
		options  provider.Options
		size     image.Point
		format   string
		degraded string
	}{
		"as it comes":   {provider.Options{}, image.Pt(160, 120), "jpeg", ""},
		"smaller png":   {provider.Options{Format: "png", Width: 80}, image.Pt(80, 60), "png", ""},
		"ratio":         {provider.Options{AspectRatio: "16:9", Seed: 4}, image.Pt(160, 120), "jpeg", ""},
		"another ratio": {provider.Options{AspectRatio: "5:3"}, image.Pt(160, 120), "jpeg", "the provider does not make the aspect ratio 5:3"},
	} {
		t.Run(name, func(t *testing.T) {
			c := call(t)
			c.Options = test.options
			e, usage, err := p.Edit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			config, format, err := image.DecodeConfig(bytes.NewReader(e.Image))
			if err != nil || image.Pt(config.Width, config.Height) != test.size || format != test.format || e.Format != format ||
				image.Pt(e.Width, e.Height) != test.size || e.Degraded != test.degraded {
				t.Errorf("%s %+v %v: %s %d × %d, %q", format, config, err, e.Format, e.Width, e.Height, e.Degraded)
			}
			if want := (provider.Usage{Model: geminitest.EditModel, RequestID: "geminitest-1", CostMicros: price, Estimated: true}); usage != want {
				t.Errorf("usage %+v, want %+v", usage, want)
			}
		})
	}
	if server.Billed() != server.Calls() || server.BilledFor(geminitest.EditModel) != 4 {
		t.Errorf("%d calls, %d billed", server.Calls(), server.Billed())
	}
}

// TestAnalyze: the description in the form of the seed, without what cannot be.
func TestAnalyze(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	a, usage, err := p.Analyze(t.Context(), call(t))
	if err != nil || a.Description != "A hill above the sea." || len(a.Labels) != 2 || a.Labels[0] != (provider.Label{Name: "hill", Confidence: 0.98}) ||
		*a.SafeSearch != (provider.SafeSearch{Adult: "VERY_UNLIKELY", Violence: "VERY_UNLIKELY"}) || usage.CostMicros != 1_000 {
		t.Errorf("%+v %+v %v", a, usage, err)
	}
	odd := `{"description":"` + strings.Repeat("å", 5000) + `","labels":[{"name":"","confidence":1},{"name":"sea","confidence":7},{"name":"sky","confidence":0.5}],"safeSearch":{"adult":"MAYBE","violence":"LIKELY"}}`
	server.Next(providertest.Body(func([]byte) []byte { return geminitest.Candidate("STOP", map[string]any{"text": odd}) }))
	a, _, err = p.Analyze(t.Context(), call(t))
	if err != nil || len([]rune(a.Description)) != 4000 || len(a.Labels) != 1 || a.Labels[0].Name != "sky" || a.SafeSearch != nil {
		t.Errorf("%d characters, %+v %+v %v", len([]rune(a.Description)), a.Labels, a.SafeSearch, err)
	}
	rated := bytes.ReplaceAll(geminitest.Candidate("STOP", map[string]any{"text": geminitest.Analysis}), []byte("NEGLIGIBLE"), []byte("HIGH"))
	server.Next(providertest.Body(func([]byte) []byte { return rated }))
	a, _, err = p.Analyze(t.Context(), call(t))
	if err != nil || a.SafeSearch == nil || a.SafeSearch.Adult != "LIKELY" {
		t.Errorf("%+v, %v: the filter of the API counts", a.SafeSearch, err)
	}
	server.Next(providertest.Body(func([]byte) []byte { return geminitest.Candidate("STOP", map[string]any{"text": "A nice hill."}) }))
	if _, _, err = p.Analyze(t.Context(), call(t)); !isError(err, provider.Retry, provider.BadAnswer, provider.IsBilled) {
		t.Errorf("a text in place of JSON: %v", err)
	}
}

func isError(err error, class provider.Class, code string, billed provider.Billed) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Class == class && e.Code == code && e.Billed == billed
}

// bad replaces the answer.
func bad(answer []byte) providertest.Reply {
	return providertest.Body(func([]byte) []byte { return answer })
}

// TestFaults: every fault has its class, makes one request, and says it was billed or may
// have been whenever the server bills.
func TestFaults(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	bomb := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x4e\x20\x00\x00\x4e\x20\x08\x02\x00\x00\x00\x00\x00\x00\x00")
	for name, test := range map[string]struct {
		reply  providertest.Reply
		class  provider.Class
		code   string
		billed provider.Billed
		after  time.Duration
	}{
		"429 in the body":   {geminitest.TooMany(geminitest.RetryInfo("55s")), provider.Defer, provider.RateLimited, provider.NotBilled, 55 * time.Second},
		"429 in the header": {providertest.TooMany("7", ""), provider.Defer, provider.RateLimited, provider.NotBilled, 7 * time.Second},
		"429 without":       {geminitest.TooMany(), provider.Defer, provider.RateLimited, provider.NotBilled, 0},
		"500":               {providertest.Status(500, "application/json", geminitest.Error(500, "INTERNAL", "An internal error has occurred.")), provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"503 HTML":          {providertest.HTML, provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"504":               {providertest.Status(504, "application/json", geminitest.Error(504, "DEADLINE_EXCEEDED", "")), provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"400":               {providertest.Status(400, "application/json", geminitest.Error(400, "INVALID_ARGUMENT", "no")), provider.Permanent, provider.Rejected, provider.NotBilled, 0},
		"no billing":        {providertest.Status(400, "application/json", geminitest.Error(400, "FAILED_PRECONDITION", "billing")), provider.Suspend, provider.AccessDenied, provider.NotBilled, 0},
		"403":               {providertest.Status(403, "application/json", geminitest.Error(403, "PERMISSION_DENIED", "no")), provider.Suspend, provider.AccessDenied, provider.NotBilled, 0},
		"redirect":          {providertest.Redirect("http://169.254.169.254/latest/meta-data/"), provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"silence":           {providertest.Silent, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"half, silence":     {providertest.Stalled, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"drip":              {providertest.Drip, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"reset first":       {providertest.ResetFirst, provider.Unknown, provider.Unavailable, provider.MaybeBilled, 0},
		"reset in answer":   {providertest.Reset, provider.Unknown, provider.Unavailable, provider.MaybeBilled, 0},
		"truncated JSON":    {providertest.Truncated, provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"60 MB":             {providertest.Huge, provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"no candidates":     {bad([]byte(`{"candidates":[]}`)), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"a blocked prompt":  {bad([]byte(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`)), provider.Permanent, provider.SafetyBlocked, provider.IsBilled, 0},
		"a blocked image":   {bad(geminitest.Candidate("IMAGE_SAFETY")), provider.Permanent, provider.SafetyBlocked, provider.IsBilled, 0},
		"no image":          {bad(geminitest.Candidate("NO_IMAGE")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"unknown reason":    {bad(geminitest.Candidate("SOMETHING_NEW")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"a text":            {bad(geminitest.Candidate("STOP", map[string]any{"text": "I cannot draw."})), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"not base64":        {bad(geminitest.Candidate("STOP", map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": "iVBORw0KG"}})), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"half a PNG":        {providertest.Body(halfPicture), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"another type":      {bad(geminitest.Picture(photo(t), "image/png")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"HTML as a picture": {bad(geminitest.Picture([]byte("<html>"), "image/png")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"a bomb":            {bad(geminitest.Picture(bomb, "image/png")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"not JSON":          {bad([]byte("<html>")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			calls, billed := server.Calls(), server.Billed()
			server.Next(test.reply)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			e, _, err := p.Edit(ctx, call(t))
			if !isError(err, test.class, test.code, test.billed) || len(e.Image) > 0 {
				t.Fatalf("%#v, %v; want %s %s, billed %s", e, err, test.class, test.code, test.billed)
			}
			if failed, _ := errors.AsType[*provider.Error](err); failed.RetryAfter != test.after {
				t.Errorf("retry after %s, want %s", failed.RetryAfter, test.after)
			}
			if n := server.Calls() - calls; n != 1 {
				t.Errorf("%d requests for one call", n)
			}
			if server.Billed() > billed && test.billed == provider.NotBilled {
				t.Error("billed, and reported as not billed")
			}
		})
	}
}

// halfPicture cuts the picture of an answer.
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
		panic(err) // the server's own
	}
	data := a.Candidates[0].Content.Parts[1].InlineData.Data
	return geminitest.Picture(data[:len(data)/2], "image/png")
}

// TestPerDay: the quota of a day waits for midnight in California.
func TestPerDay(t *testing.T) {
	server := geminitest.Start(t)
	server.Next(geminitest.TooMany(geminitest.PerDay))
	_, _, err := newProvider(t, server.URL, geminitest.Key).Edit(t.Context(), call(t))
	e, ok := errors.AsType[*provider.Error](err)
	if !ok || e.Class != provider.Defer {
		t.Fatal(err)
	}
	at := time.Now().Add(e.RetryAfter).In(time.FixedZone("PST", -8*60*60))
	if e.RetryAfter <= 0 || at.Add(time.Minute).Hour() != 0 {
		t.Errorf("retry after %s, at %s", e.RetryAfter, at)
	}
}

// TestUnreachable: what was never sent is not billed.
func TestUnreachable(t *testing.T) {
	if _, _, err := newProvider(t, "http://127.0.0.1:1", geminitest.Key).Edit(t.Context(), call(t)); !isError(err, provider.Retry, provider.Unavailable, provider.NotBilled) {
		t.Error(err)
	}
}

// TestCheck: a key that is refused suspends, and so does a call with it.
func TestCheck(t *testing.T) {
	server := geminitest.Start(t)
	if err := newProvider(t, server.URL, geminitest.Key).Check(t.Context()); err != nil {
		t.Error(err)
	}
	revoked := newProvider(t, server.URL, "revoked")
	if err := revoked.Check(t.Context()); !isError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) {
		t.Error(err)
	}
	if _, _, err := revoked.Edit(t.Context(), call(t)); !isError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) || server.Billed() != 0 {
		t.Error(err)
	}
}

// TestStoredAnswer: an answer is kept before it is read, and one that was kept is read
// without a request.
func TestStoredAnswer(t *testing.T) {
	server := geminitest.Start(t)
	p := newProvider(t, server.URL, geminitest.Key)
	var kept []byte
	c := call(t)
	c.Keep = func(_ context.Context, from io.Reader) (_ []byte, err error) {
		kept, err = io.ReadAll(from)
		return kept, err
	}
	first, _, err := p.Edit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	again := call(t)
	again.Answer = kept
	second, usage, err := p.Edit(t.Context(), again)
	if err != nil || !bytes.Equal(first.Image, second.Image) || usage.CostMicros != price || server.Calls() != 1 {
		t.Errorf("%v, usage %+v, %d calls", err, usage, server.Calls())
	}
	full := errors.New("the disk is full")
	c.Keep = func(context.Context, io.Reader) ([]byte, error) { return nil, full }
	if _, _, err := p.Edit(t.Context(), c); !errors.Is(err, full) {
		t.Errorf("an answer that cannot be kept: %v", err)
	}
}

// TestCanceled: the reason of a canceled call is that of its context.
func TestCanceled(t *testing.T) {
	server := geminitest.Start(t)
	why := errors.New("the worker drains")
	ctx, cancel := context.WithCancelCause(t.Context())
	server.Next(func(x providertest.Exchange) {
		cancel(why)
		providertest.Silent(x)
	})
	if _, _, err := newProvider(t, server.URL, geminitest.Key).Edit(ctx, call(t)); !errors.Is(err, why) {
		t.Error(err)
	}
}
