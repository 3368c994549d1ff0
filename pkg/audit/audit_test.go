package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/audit"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
)

func open(t *testing.T) (*bus.Bus, *audit.Log) {
	t.Helper()
	b, err := bus.Connect(t.Context(), bus.Config{URL: bustest.Start(t), Replicas: 1, Sync: "always", WorkMaxMessages: 1}, "test", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b, audit.New(b, zerolog.Nop())
}

type input struct {
	Name string `path:"name"`
}

func router(l *audit.Log, handle func(name string) error) *web.Router {
	r := web.NewRouter(web.Options{Audit: l.Record})
	l.Routes(r)
	web.Register(r, huma.Operation{OperationID: "put-thing", Method: http.MethodPut, Path: "/v1/things/{name}", DefaultStatus: http.StatusNoContent},
		func(_ context.Context, in *input) (*struct{}, error) { return nil, handle(in.Name) }, web.Refusals{http.StatusConflict: {"taken"}})
	return r
}

func send(t *testing.T, r *web.Router, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, nil)
	req.Host = "127.0.0.1"
	r.ServeHTTP(w, req)
	return w
}

// TestEveryWriteHasAnEntryWithItsOutcome checks the log over HTTP, in pages of every size.
func TestEveryWriteHasAnEntryWithItsOutcome(t *testing.T) {
	_, l := open(t)
	var during []audit.Entry
	var r *web.Router
	r = router(l, func(name string) error {
		switch name {
		case "taken":
			return web.NewProblem(http.StatusConflict, "taken", "It is taken.")
		case "broken":
			panic("broken")
		case "nested":
			var err error
			during, _, err = l.List(t.Context(), time.Time{}, 10, "")
			send(t, r, http.MethodPut, "/v1/things/inner")
			return err
		}
		return nil
	})
	if w := send(t, r, http.MethodPut, "/v1/things/ok"); w.Code != http.StatusNoContent {
		t.Fatalf("PUT: got %d %s, want %d", w.Code, w.Body, http.StatusNoContent)
	}
	send(t, r, http.MethodPut, "/v1/things/taken")
	send(t, r, http.MethodPut, "/v1/things/broken")
	send(t, r, http.MethodPut, "/v1/things/nested")
	want := []string{
		"done 204 /v1/things/nested", "done 204 /v1/things/inner", "failed 500 /v1/things/broken", "refused 409 /v1/things/taken", "done 204 /v1/things/ok",
	}
	for limit := 1; limit <= 6; limit++ {
		var got []string
		path := fmt.Sprintf("/v1/audit?limit=%d", limit)
		for at := path; at != ""; {
			w := send(t, r, http.MethodGet, at)
			var page struct {
				Entries    []audit.Entry
				NextCursor string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK || len(page.Entries) > limit {
				t.Fatalf("%s: got %d %s, error %v, want 200 and at most %d entries", at, w.Code, w.Body, err, limit)
			}
			for _, e := range page.Entries {
				got = append(got, fmt.Sprintf("%s %d %s", e.Outcome, e.Status, e.Path))
				if e.Operation != "put-thing" || e.Method != http.MethodPut || e.RequestID == "" || e.Service != "test" || e.Address == "" {
					t.Errorf("got %+v, want operation put-thing, method PUT, service test, a request id and an address", e)
				}
			}
			if at = ""; page.NextCursor != "" {
				at = path + "&cursor=" + page.NextCursor
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("in pages of %d: got %q, want %q", limit, got, want)
		}
	}
	if len(during) != 4 || during[0].Outcome != audit.Unknown || during[0].Path != "/v1/things/nested" {
		t.Errorf("while a write runs: got %+v, want 4 entries, the first with an unknown outcome", during)
	}
	if entries, _, err := l.List(t.Context(), time.Now().Add(time.Minute), 10, ""); err != nil || len(entries) != 0 {
		t.Errorf("since a later time: got %v, error %v, want none", entries, err)
	}
	if w := send(t, r, http.MethodGet, "/v1/audit?cursor=x"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("an invalid cursor: got status %d, want 422", w.Code)
	}
}

// TestWithoutALogNoWriteBegins checks that a write that cannot be recorded does not begin, and that entries cannot
// be removed.
func TestWithoutALogNoWriteBegins(t *testing.T) {
	b, l := open(t)
	wrote := false
	r := router(l, func(string) error { wrote = true; return nil })
	send(t, r, http.MethodPut, "/v1/things/a")
	stream, err := b.JS.Stream(t.Context(), bus.StreamAudit)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteMsg(t.Context(), 1); err == nil {
		t.Error("DeleteMsg of an entry: got no error, want one")
	}
	js, err := jetstream.New(b.NATS)
	if err != nil {
		t.Fatal(err)
	}
	if stream, err := js.Stream(t.Context(), bus.StreamAudit); err != nil || stream.Purge(t.Context()) == nil {
		t.Errorf("got error %v from Stream, or none from Purge, want an error from Purge only", err)
	}
	b.Close()
	wrote = false
	if w := send(t, r, http.MethodPut, "/v1/things/b"); w.Code != http.StatusServiceUnavailable || wrote || w.Header().Get("Retry-After") == "" {
		t.Errorf("without NATS: got %d %s, wrote = %t, want %d with Retry-After and no write", w.Code, w.Body, wrote, http.StatusServiceUnavailable)
	}
}
