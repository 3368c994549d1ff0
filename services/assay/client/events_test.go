package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

func stream(chunks ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, chunk := range chunks {
			_, _ = io.WriteString(w, chunk) // the test detects a disconnected client
		}
	}
}

func TestEventsResumeAfterLast(t *testing.T) {
	s, c := serve(t,
		stream(": hello\n\n", "id: 4\nevent: a\ndata: {\"n\":1}\n\n", "id: 5\nevent: a\ndata: {\"cut"),
		hangUp,
		stream("id: 6\r\n\r\nevent: resync\r\n\r\n"),
		stream("id:7\ndata:[1,\ndata:2]\n\n"))
	var got []string
	for e, err := range c.Events(t.Context(), client.Following{OwnerID: "o 1", After: "3"}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %s", e.ID, e.Type, e.Data))
		if e.ID == "7" {
			break
		}
	}
	want := "4 a {\"n\":1}| resync |7 message [1,\n2]"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
	after := ""
	for _, r := range s.requests() {
		if r.path != "/v1/events" || r.query != "owner=o+1" {
			t.Errorf("requested %s?%s, want /v1/events?owner=o+1", r.path, r.query)
		}
		after += r.header.Get("Last-Event-ID") + " "
	}
	if after != "3 4 4 6 " {
		t.Errorf("resumed after the events %q, want 3 4 4 6", after)
	}
}

func TestEventsEndWhenRejected(t *testing.T) {
	_, c := serve(t, problem(400, nil, client.Problem{Detail: "Last-Event-ID is not a number"}))
	calls := 0
	for _, err := range c.Events(t.Context(), client.Following{After: "x"}) {
		calls++
		if _, ok := errors.AsType[*client.Problem](err); !ok {
			t.Errorf("got %v, want a *client.Problem", err)
		}
	}
	if calls != 1 {
		t.Errorf("got %d results, want 1", calls)
	}
}
