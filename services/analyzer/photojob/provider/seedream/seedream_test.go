package seedream_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream/seedreamtest"
)

const price = 30_000

func newProvider(t *testing.T, url, key string) *seedream.Provider {
	t.Helper()
	return seedream.New(seedream.Config{BaseURL: url, Key: key, Model: seedreamtest.Model, CostMicros: price, Time: 2 * time.Minute}, providertest.Client(t), pixels.NewDecoder(budget.New(1<<30), wasm.Config{}))
}

// TestEdit checks the picture, the price of one picture and the id of the call. The requested size
// has the ratio of the call or of its photo.
func TestEdit(t *testing.T) {
	server := seedreamtest.Start(t)
	p := newProvider(t, server.URL, seedreamtest.Key)
	for ratio, size := range map[string]string{"": "2364x1773", "1:1": "2048x2048", "99:1": "8192x512"} {
		c := providertest.Call()
		c.Options.AspectRatio = ratio
		e, usage, err := p.Edit(t.Context(), c)
		if err != nil || e.Width != seedreamtest.Width || e.Height != seedreamtest.Height || e.Format != "jpeg" {
			t.Fatalf("got %s of %d × %d, %v, want jpeg of %d × %d", e.Format, e.Width, e.Height, err, seedreamtest.Width, seedreamtest.Height)
		}
		if want := (provider.Usage{Model: seedreamtest.Model, RequestID: "seedreamtest-1", CostMicros: price}); usage != want {
			t.Errorf("got usage %+v, want %+v", usage, want)
		}
		var sent struct{ Size string }
		all := server.Requests()
		if err := json.Unmarshal(all[len(all)-1], &sent); err != nil || sent.Size != size {
			t.Errorf("ratio %q: got size %s, %v, want %s", ratio, sent.Size, err, size)
		}
	}
	if ids := slices.Compact(server.IDs()); len(ids) != 1 || ids[0] != "01JD/1" || server.Billed() != 3 {
		t.Errorf("got ids %v, %d billed, want one id and 3 billed", ids, server.Billed())
	}
}

// TestRequest compares the request with that of the official SDK.
func TestRequest(t *testing.T) {
	server := seedreamtest.Start(t)
	c := providertest.Call()
	c.Options = provider.Options{Format: "png", AspectRatio: "16:9", Seed: 4}
	if _, _, err := newProvider(t, server.URL, seedreamtest.Key).Edit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	providertest.Golden(t, "edit.json", server.Requests()[0])
}

// TestFaults checks the class and code of every fault.
func TestFaults(t *testing.T) {
	server := seedreamtest.Start(t)
	status := func(status int, code string) providertest.Reply {
		return providertest.Status(status, "application/json", seedreamtest.Error(code, "not so"))
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, scene.New(64, 64, 1)); err != nil {
		t.Fatal(err)
	}
	more := map[string]providertest.Fault{
		"429 with a code":   {Reply: providertest.TooMany("7", seedreamtest.Error("ModelAccountIpmRateLimitExceeded", "")), Class: provider.Defer, Code: provider.RateLimited, Billed: provider.NotBilled, After: 7 * time.Second},
		"parameter":         {Reply: status(400, "InvalidParameter.Size"), Class: provider.Permanent, Code: provider.Rejected, Billed: provider.NotBilled},
		"unknown code":      {Reply: status(400, "SomethingNew"), Class: provider.Permanent, Code: provider.Rejected, Billed: provider.NotBilled},
		"sensitive text":    {Reply: status(400, "InputTextSensitiveContentDetected"), Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: provider.NotBilled},
		"sensitive output":  {Reply: status(400, "OutputImageSensitiveContentDetected.PolicyViolation"), Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: provider.NotBilled},
		"overdue":           {Reply: status(403, "AccountOverdueError"), Class: provider.Suspend, Code: provider.AccessDenied, Billed: provider.NotBilled},
		"no model":          {Reply: status(404, "InvalidEndpointOrModel.NotFound"), Class: provider.Suspend, Code: provider.AccessDenied, Billed: provider.NotBilled},
		"rejected with 200": {Reply: providertest.Answer(seedreamtest.Refused("OutputImageSensitiveContentDetected")), Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: provider.MaybeBilled},
	}
	for name, answer := range map[string][]byte{
		"no pictures":       []byte(`{"data":[]}`),
		"failed with 200":   seedreamtest.Refused("InternalServiceError"),
		"URL":               seedreamtest.ByURL("http://169.254.169.254/picture.png"),
		"truncated picture": seedreamtest.Picture(picture.Bytes()[:picture.Len()/2]),
		"HTML as a picture": seedreamtest.Picture([]byte("<html>")),
		"not base64":        []byte(`{"data":[{"b64_json":"iVBORw0KG"}]}`),
	} {
		more[name] = providertest.Unusable(providertest.Answer(answer))
	}
	providertest.TestFaults(t, &server.Script, newProvider(t, server.URL, seedreamtest.Key), more)
}

// TestCheck checks that a rejected key suspends the provider, and that a check is not a billed call.
func TestCheck(t *testing.T) {
	server := seedreamtest.Start(t)
	if err := newProvider(t, server.URL, seedreamtest.Key).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := newProvider(t, server.URL, "revoked").Check(t.Context()); !providertest.IsError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) {
		t.Errorf("got error %v, want %s, not billed", err, provider.AccessDenied)
	}
	if server.Calls() != 0 {
		t.Errorf("got %d calls, want none", server.Calls())
	}
}

// TestPrompt checks that a prompt that is too long is not sent.
func TestPrompt(t *testing.T) {
	server := seedreamtest.Start(t)
	c := providertest.Call()
	c.Prompt = strings.Repeat("boat ", 601)
	if _, _, err := newProvider(t, server.URL, seedreamtest.Key).Edit(t.Context(), c); !providertest.IsError(err, provider.Permanent, provider.Rejected, provider.NotBilled) || server.Calls() != 0 {
		t.Errorf("got error %v, %d calls, want %s and no call", err, server.Calls(), provider.Rejected)
	}
}
