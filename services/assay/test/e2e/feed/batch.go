package feed

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// batchesAreStreamed checks that the first item of a batch is analyzed before the last one is sent.
func batchesAreStreamed(t *testing.T, s system.System) {
	first, last := system.NewPosting("The book was good.", "a"), system.NewPosting("This one is awful.", "a")
	received, sent := io.Pipe()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodPost, s.HTTP+"/v1/feed/items", received)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(sent, `{"items":[`+system.JSON(first)+`,`)
		written <- err
	}()
	answered := make(chan string, 1)
	go func() {
		resp, body, err := system.RoundTrip(req)
		if err != nil {
			body = err.Error()
		} else if resp.StatusCode != http.StatusMultiStatus {
			body = resp.Status + " " + body
		}
		answered <- body
	}()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, func() error {
		if resp, body := s.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(first.SourceID), nil, ""); resp.StatusCode != http.StatusOK {
			return fmt.Errorf("GET of the first item returned %s, want 200: %s", resp.Status, body)
		}
		return nil
	})
	s.Analyzed(t, first.SourceID)
	_, err = io.WriteString(sent, system.JSON(last)+`]}`)
	if err := errors.Join(err, sent.Close()); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Results []struct{ SourceID, Outcome string }
	}
	system.Decode(t, <-answered, &out)
	if len(out.Results) != 2 || out.Results[0].SourceID != first.SourceID || out.Results[1].SourceID != last.SourceID ||
		out.Results[0].Outcome != "created" || out.Results[1].Outcome != "created" {
		t.Errorf("the outcomes are %+v, want %s and %s created", out.Results, first.SourceID, last.SourceID)
	}
	s.Analyzed(t, last.SourceID)
}
