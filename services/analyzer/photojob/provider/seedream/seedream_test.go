package seedream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream/seedreamtest"
	"github.com/assay-project/assay/services/analyzer/pixels"
	"github.com/assay-project/assay/services/analyzer/pixels/scene"
)

const price = 30_000

func newProvider(t *testing.T, url, key string) *seedream.Provider {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return seedream.New(seedream.Config{BaseURL: url, Key: key, Model: seedreamtest.Model, CostMicros: price, Time: 2 * time.Minute}, client, pixels.NewDecoder(1<<30))
}

func call(t *testing.T) provider.Call {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scene.New(320, 240, 1), nil); err != nil {
		t.Fatal(err)
	}
	return provider.Call{ID: "01JD/2", Prompt: "a red boat", Image: out.Bytes(), MediaType: "image/jpeg"}
}

func isError(err error, class provider.Class, code string, billed provider.Billed) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Class == class && e.Code == code && e.Billed == billed
}

// TestEdit: the picture of the answer, at the price of one; the call's id goes along. The
// size that is asked for has the ratio that the call or its photo has.
func TestEdit(t *testing.T) {
	server := seedreamtest.Start(t)
	p := newProvider(t, server.URL, seedreamtest.Key)
	for ratio, size := range map[string]string{"": "2364x1773", "1:1": "2048x2048", "99:1": "8192x512"} {
		c := call(t)
		c.Options.AspectRatio = ratio
		e, usage, err := p.Edit(t.Context(), c)
		if err != nil || e.Width != seedreamtest.Width || e.Height != seedreamtest.Height || e.Format != "jpeg" {
			t.Fatalf("%s %d × %d, %v", e.Format, e.Width, e.Height, err)
		}
		if want := (provider.Usage{Model: seedreamtest.Model, RequestID: "seedreamtest-1", CostMicros: price}); usage != want {
			t.Errorf("usage %+v, want %+v", usage, want)
		}
		var sent struct{ Size string }
		all := server.Requests()
		if err := json.Unmarshal(all[len(all)-1], &sent); err != nil || sent.Size != size {
			t.Errorf("ratio %q: size %s, %v, want %s", ratio, sent.Size, err, size)
		}
	}
	if ids := slices.Compact(server.IDs()); len(ids) != 1 || ids[0] != "01JD/2" || server.Billed() != 3 {
		t.Errorf("ids %v, %d billed", ids, server.Billed())
	}
}

// TestFaults: every fault has its class, makes one request, and says it was billed or may
// have been whenever the server bills.
func TestFaults(t *testing.T) {
	server := seedreamtest.Start(t)
	p := newProvider(t, server.URL, seedreamtest.Key)
	status := func(status int, code string) providertest.Reply {
		return providertest.Status(status, "application/json", seedreamtest.Error(code, "not so"))
	}
	body := func(answer []byte) providertest.Reply {
		return providertest.Body(func([]byte) []byte { return answer })
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, scene.New(64, 64, 1)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		reply  providertest.Reply
		class  provider.Class
		code   string
		billed provider.Billed
		after  time.Duration
	}{
		"429 in the header": {providertest.TooMany("7", seedreamtest.Error("ModelAccountIpmRateLimitExceeded", "")), provider.Defer, provider.RateLimited, provider.NotBilled, 7 * time.Second},
		"429 without":       {providertest.TooMany("", ""), provider.Defer, provider.RateLimited, provider.NotBilled, 0},
		"500":               {status(500, "InternalServiceError"), provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"503 HTML":          {providertest.HTML, provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"parameter":         {status(400, "InvalidParameter.Size"), provider.Permanent, provider.Rejected, provider.NotBilled, 0},
		"unknown code":      {status(400, "SomethingNew"), provider.Permanent, provider.Rejected, provider.NotBilled, 0},
		"sensitive text":    {status(400, "InputTextSensitiveContentDetected"), provider.Permanent, provider.SafetyBlocked, provider.NotBilled, 0},
		"sensitive output":  {status(400, "OutputImageSensitiveContentDetected.PolicyViolation"), provider.Permanent, provider.SafetyBlocked, provider.NotBilled, 0},
		"overdue":           {status(403, "AccountOverdueError"), provider.Suspend, provider.AccessDenied, provider.NotBilled, 0},
		"no model":          {status(404, "InvalidEndpointOrModel.NotFound"), provider.Suspend, provider.AccessDenied, provider.NotBilled, 0},
		"redirect":          {providertest.Redirect("http://169.254.169.254/"), provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"silence":           {providertest.Silent, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"half, silence":     {providertest.Stalled, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"drip":              {providertest.Drip, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"reset first":       {providertest.ResetFirst, provider.Unknown, provider.Unavailable, provider.MaybeBilled, 0},
		"reset in answer":   {providertest.Reset, provider.Unknown, provider.Unavailable, provider.MaybeBilled, 0},
		"truncated JSON":    {providertest.Truncated, provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"60 MB":             {providertest.Huge, provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"no pictures":       {body([]byte(`{"data":[]}`)), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"refused with 200":  {body(seedreamtest.Refused("OutputImageSensitiveContentDetected")), provider.Permanent, provider.SafetyBlocked, provider.MaybeBilled, 0},
		"failed with 200":   {body(seedreamtest.Refused("InternalServiceError")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"an address":        {body(seedreamtest.ByURL("http://169.254.169.254/picture.png")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"half a picture":    {body(seedreamtest.Picture(picture.Bytes()[:picture.Len()/2])), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"no picture":        {body(seedreamtest.Picture([]byte("<html>"))), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"not base64":        {body([]byte(`{"data":[{"b64_json":"iVBORw0KG"}]}`)), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
		"not JSON":          {body([]byte("<html>")), provider.Retry, provider.BadAnswer, provider.IsBilled, 0},
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

// TestCheck: a key that is refused suspends; a check makes no call.
func TestCheck(t *testing.T) {
	server := seedreamtest.Start(t)
	if err := newProvider(t, server.URL, seedreamtest.Key).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := newProvider(t, server.URL, "revoked").Check(t.Context()); !isError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) {
		t.Error(err)
	}
	if server.Calls() != 0 {
		t.Errorf("%d calls", server.Calls())
	}
}

// TestPrompt: one that is too long is not sent.
func TestPrompt(t *testing.T) {
	server := seedreamtest.Start(t)
	c := call(t)
	c.Prompt = strings.Repeat("boat ", 601)
	if _, _, err := newProvider(t, server.URL, seedreamtest.Key).Edit(t.Context(), c); !isError(err, provider.Permanent, provider.Rejected, provider.NotBilled) || server.Calls() != 0 {
		t.Errorf("%v, %d calls", err, server.Calls())
	}
}
