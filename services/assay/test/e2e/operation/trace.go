package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// itemsCanBeTraced: the path of an item of each area has its state, its outcome, and the ids of the request and the trace that
// created it, without the id of its owner. The path of a failed item has the reason.
func itemsCanBeTraced(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	posting := system.NewPosting("What a lovely day!", system.NewTag())
	resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", map[string]string{
		"Content-Type": "application/json", "X-Request-Id": "trace-test", "traceparent": parent,
	}, system.JSON(posting))
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("post %s: %d %s, want 201", posting.SourceID, resp.StatusCode, body)
	}
	file := system.UploadMultipart(t, c, "traced.txt", "text/plain", []byte("one two two"))
	photo := system.SendPhoto(t, c, "grayscale", system.DrawPhoto(t, 41))
	const note = "a note"
	node, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: "note.txt", Size: int64(len(note)), ContentType: "text/plain"}, system.Source("note.txt", note))
	if err != nil {
		t.Fatal(err)
	}
	failed := system.UploadMultipart(t, c, "failed.txt", "text/plain", []byte("%PDF-1.7\n"))
	for _, want := range []struct{ id, area, state, end string }{
		{file.FileID, "textfile", "COMPLETED", "completed"}, {posting.SourceID, "feed", "analyzed", "completed"}, {photo.JobID, "photojob", "COMPLETED", "completed"},
		{node.ID, "library", "Processed", "completed"}, {failed.FileID, "textfile", "FAILED", "failed"},
	} {
		var got client.Trace
		system.Eventually(t, func() error {
			got = traceOf(t, s, want.id)
			if got.State != want.state || len(got.Outcomes) != 1 || len(got.Messages) > 0 {
				return fmt.Errorf("the trace of %s is %+v, want the state %s and one outcome", want.id, got, want.state)
			}
			return nil
		})
		if got.Area != want.area || !got.Found || got.Outcomes[0].End != want.end || len(got.RequestIDs) == 0 || len(got.TraceIDs) == 0 || len(got.Moments) < 2 || len(got.Problems) > 0 {
			t.Errorf("the trace of %s is %+v, want the area %s, the end %s, ids, moments and no problems", want.id, got, want.area, want.end)
		}
		if want.end == "failed" && (got.Error == "" || got.Outcomes[0].Error != got.Error) {
			t.Errorf("the trace of a failed file is %+v, want the error", got)
		}
		if strings.Contains(system.JSON(got), owner) {
			t.Errorf("the trace of %s contains the id of its owner: %+v", want.id, got)
		}
		if want.area == "feed" && (!slices.Equal(got.RequestIDs, []string{"trace-test"}) || !slices.Equal(got.TraceIDs, []string{"0af7651916cd43dd8448eb211c80319c"})) {
			t.Errorf("the trace of %s has the requests %q and the traces %q, want those of its request", want.id, got.RequestIDs, got.TraceIDs)
		}
		if want.area == "library" && len(got.Parts) == 0 {
			t.Errorf("the trace of %s is %+v, want the steps of its workflow", want.id, got)
		}
	}
	if status, text := system.Get(t, s.Operator+"/v1/trace/00000000-0000-7000-8000-000000000000"); status != http.StatusNotFound || !strings.Contains(text, "There is no item with this id") {
		t.Errorf("the trace of an unknown id: %d %s, want 404", status, text)
	}
	for _, id := range []string{"*", "%3E", "a.b", "a%20b"} {
		if status, text := system.Get(t, s.Operator+"/v1/trace/"+id); status != http.StatusUnprocessableEntity {
			t.Errorf("the trace of %s: %d %s, want 422", id, status, text)
		}
	}
	if status, text := system.Get(t, s.Operator+"/v1/trace/"+file.FileID+"?area=nowhere"); status != http.StatusUnprocessableEntity || !strings.Contains(text, "textfile") {
		t.Errorf("the trace in an unknown area: %d %s, want 422 with the areas", status, text)
	}
	if status, text := system.Get(t, s.HTTP+"/v1/trace/"+file.FileID); status != http.StatusNotFound {
		t.Errorf("the trace at the public address: %d %s, want 404", status, text)
	}
}

// tracesOutliveItems: the path of a deleted item has what the streams contain, and that of an item with a webhook endpoint has
// the requests to it.
func tracesOutliveItems(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	resp, body := s.Ask(t, http.MethodPost, "/v1/webhooks", map[string]string{"Content-Type": "application/json", "X-Owner-Id": owner}, `{"name":"traced","url":"`+receiver.URL+`"}`)
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("register an endpoint: %d %s, want 201", resp.StatusCode, body)
	}
	file := system.UploadMultipart(t, c, "deleted.txt", "text/plain", []byte("one two two"))
	system.Await(t, c, file.FileID)
	delivered := func(got client.Trace) error {
		if len(got.Deliveries) != 1 || got.Deliveries[0].Status != "delivered" || got.Deliveries[0].EndpointName != "traced" ||
			len(got.Deliveries[0].Requests) != 1 || got.Deliveries[0].Requests[0].HTTP != http.StatusOK {
			return fmt.Errorf("the deliveries are %+v, want one with a request", got.Deliveries)
		}
		return nil
	}
	system.Eventually(t, func() error { return delivered(traceOf(t, s, file.FileID)) })
	if err := c.Delete(system.Within(t), file.FileID); err != nil {
		t.Fatal(err)
	}
	got := traceOf(t, s, file.FileID)
	if got.Found || got.Area != "textfile" || len(got.Outcomes) != 1 || delivered(got) != nil {
		t.Errorf("the trace of a deleted file is %+v, want its outcome and the delivery", got)
	}
}

// traceOf returns what `assay trace` prints about an item.
func traceOf(t *testing.T, s system.System, id string) client.Trace {
	t.Helper()
	var v client.Trace
	ask(t, system.System{HTTP: s.Operator}, http.MethodGet, "/v1/trace/"+strings.ReplaceAll(id, "#", "%23"), "", &v)
	return v
}

// commandsForOperators: `assay trace` and `assay top` print what the operator address returns.
func commandsForOperators(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	file := system.UploadMultipart(t, c, "top.txt", "text/plain", []byte("%PDF-1.7\n"))
	system.Await(t, c, file.FileID)
	traced := system.Launch(t, "assay", nil, "trace", file.FileID, "--operator", s.Operator)
	if status := traced.End(t); status != 0 {
		t.Fatalf("assay trace: exit status %d, want 0: %s", status, traced.Output)
	}
	for _, want := range []string{"textfile", "top.txt", "FAILED", "TIME", "became FAILED", "outcome failed"} {
		if !strings.Contains(traced.Written(), want) {
			t.Errorf("assay trace does not print %q:\n%s", want, traced.Output)
		}
	}
	system.Eventually(t, func() error { // query receives outcomes asynchronously
		top := system.Launch(t, "assay", nil, "top", "--once", "--json", "--operator", s.Operator)
		if status := top.End(t); status != 0 {
			t.Fatalf("assay top: exit status %d, want 0: %s", status, top.Output)
		}
		var state struct {
			client.Status
			Items client.StatusItems
		}
		if err := json.Unmarshal([]byte(top.Written()), &state); err != nil {
			t.Fatalf("%v: %s", err, top.Output)
		}
		if len(state.Areas) < 4 || len(state.Items.Areas) != len(state.Areas) || len(state.Items.Problems)+len(state.Problems) > 0 || len(state.Dependencies) < 4 {
			t.Errorf("the state is %s, want 4 areas, the checks and no problems", top.Output)
		}
		if len(state.Items.Errors) == 0 {
			return errors.New("no errors are listed")
		}
		return nil
	})
	top := system.Launch(t, "assay", nil, "top", "--operator", s.Operator)
	if status := top.End(t); status != 0 || strings.Contains(top.Written(), "\x1b") || !strings.Contains(top.Written(), "ACCEPT/M") || !strings.Contains(top.Written(), "LAST ERRORS") {
		t.Errorf("assay top without a terminal: exit status %d, want 0 and a frame without control codes: %q", status, top.Written())
	}
}
