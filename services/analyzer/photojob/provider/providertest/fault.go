package providertest

import (
	"bytes"
	"context"
	_ "embed" // for the photo
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

//go:embed photo.jpg
var photo []byte

// Call returns a call to edit or describe a photo of 64 × 48 pixels.
func Call() provider.Call {
	return provider.Call{ID: "01JD/1", Prompt: "a red boat", Image: slices.Clone(photo), MediaType: "image/jpeg"}
}

// Client returns a client that is closed at the end of the test.
func Client(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// IsError reports whether err is a *provider.Error with these fields.
func IsError(err error, class provider.Class, code string, billed provider.Billed) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Class == class && e.Code == code && e.Billed == billed
}

// Fault is a reply of a server and the error that an adapter returns for it.
type Fault struct {
	Reply  Reply
	Class  provider.Class
	Code   string
	Billed provider.Billed
	After  time.Duration // delay that the service requests
}

// Unusable returns the fault of a billed response that cannot be used.
func Unusable(reply Reply) Fault {
	return Fault{reply, provider.Retry, provider.BadAnswer, provider.IsBilled, 0}
}

// Answer returns a reply with another body.
func Answer(body []byte) Reply { return Body(func([]byte) []byte { return body }) }

// Faults returns the faults that every service can have.
func Faults() map[string]Fault {
	return map[string]Fault{
		"429 with Retry-After":          {TooMany("7", ""), provider.Defer, provider.RateLimited, provider.NotBilled, 7 * time.Second},
		"429 without Retry-After":       {TooMany("", ""), provider.Defer, provider.RateLimited, provider.NotBilled, 0},
		"500":                           {Status(500, "text/plain", "oops"), provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"503 HTML":                      {HTML, provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"504":                           {Status(504, "text/plain", ""), provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"redirect":                      {Redirect("http://169.254.169.254/latest/meta-data/"), provider.Retry, provider.Unavailable, provider.NotBilled, 0},
		"silence":                       {Silent, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"half a response, then silence": {Stalled, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"drip":                          {Drip, provider.Unknown, provider.Timeout, provider.MaybeBilled, 0},
		"reset before the response":     {ResetFirst, provider.Unknown, provider.Unavailable, provider.MaybeBilled, 0},
		"reset during the response":     {Reset, provider.Unknown, provider.Unavailable, provider.MaybeBilled, 0},
		"truncated JSON":                Unusable(Truncated),
		"60 MB":                         Unusable(Huge),
		"not JSON":                      Unusable(Answer([]byte("<html>"))),
		"empty object":                  Unusable(Answer([]byte(`{}`))),
	}
}

// silence is how long a call waits for a server that does not respond.
const silence = time.Second

// TestFaults makes an edit with each fault of every service, and each fault in more. It checks that
// the edit returns the error of the fault, makes one request, and is reported as billed, or
// possibly billed, whenever the server bills.
func TestFaults(t *testing.T, server *Script, p provider.Provider, more map[string]Fault) {
	all := Faults()
	maps.Copy(all, more)
	for name, fault := range all {
		t.Run(name, func(t *testing.T) {
			calls, billed := server.Calls(), server.Billed()
			server.Next(fault.Reply)
			ctx := t.Context()
			if fault.Code == provider.Timeout {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, silence)
				defer cancel()
			}
			e, _, err := p.Edit(ctx, Call())
			if !IsError(err, fault.Class, fault.Code, fault.Billed) || len(e.Image) > 0 {
				t.Fatalf("got %#v, %v; want %s %s, billed %s", e, err, fault.Class, fault.Code, fault.Billed)
			}
			if failed, _ := errors.AsType[*provider.Error](err); failed.RetryAfter != fault.After {
				t.Errorf("got a retry after %s, want %s", failed.RetryAfter, fault.After)
			}
			if n := server.Calls() - calls; n != 1 {
				t.Errorf("got %d requests for one call, want 1", n)
			}
			if server.Billed() > billed && fault.Billed == provider.NotBilled {
				t.Errorf("got billed %s for a billed call, want yes or unknown", fault.Billed)
			}
		})
	}
}

// Golden checks that a request equals testdata/<name>, which the official SDK sends for the same
// call. The contract module compares the SDK with this file.
func Golden(t *testing.T, name string, request []byte) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if want = bytes.TrimSpace(want); !bytes.Equal(request, want) {
		t.Errorf("got request\n%s\nwant the request of the official SDK\n%s", request, want)
	}
}
