package e2e

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"testing"
)

// batchesAreStreamed checks that the first item of a batch is analyzed before the last one is sent.
func batchesAreStreamed(t *testing.T, s system) {
	first, last := newPosting("The book was good.", "a"), newPosting("This one is awful.", "a")
	received, sent := io.Pipe()
	req, err := http.NewRequestWithContext(within(t), http.MethodPost, s.HTTP+"/v1/feed/items", received)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(sent, `{"items":[`+show(first)+`,`)
		written <- err
	}()
	answered := make(chan string, 1)
	go func() {
		resp, body, err := roundTrip(req)
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
	eventually(t, func() error {
		if resp, body := s.ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(first.SourceID), nil, ""); resp.StatusCode != http.StatusOK {
			return errors.New(body)
		}
		return nil
	})
	s.analyzed(t, first.SourceID)
	_, err = io.WriteString(sent, show(last)+`]}`)
	if err := errors.Join(err, sent.Close()); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Results []struct{ SourceID, Outcome string }
	}
	decode(t, <-answered, &out)
	if len(out.Results) != 2 || out.Results[0].SourceID != first.SourceID || out.Results[1].SourceID != last.SourceID ||
		out.Results[0].Outcome != "created" || out.Results[1].Outcome != "created" {
		t.Errorf("the outcomes are %+v", out.Results)
	}
	s.analyzed(t, last.SourceID)
}
