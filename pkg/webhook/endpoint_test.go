package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/webhook"
)

// TestEndpointsAreDisabled checks that an endpoint is disabled after five days of failures, or by 410, until its owner enables
// it again.
func TestEndpointsAreDisabled(t *testing.T) {
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e := webhook.Endpoint{CreatedAt: begin.Add(-time.Hour), EnabledAt: begin.Add(-time.Hour)}
	health := webhook.Health{}.Failed(begin, false)
	for after, want := range map[time.Duration]webhook.State{
		time.Hour: webhook.Active, webhook.FailingLimit - time.Second: webhook.Active, webhook.FailingLimit: webhook.Disabled,
	} {
		later := health.Failed(begin.Add(after), false)
		if got := e.State(later); got != want || !later.FailingSince.Equal(begin) {
			t.Errorf("after %s of failures: got %s since %s, want %s", after, got, later.FailingSince, want)
		}
	}
	gone := webhook.Health{}.Failed(begin, true)
	if e.State(gone) != webhook.Disabled || gone.Reason == "" {
		t.Errorf("after 410: got %s because %q", e.State(gone), gone.Reason)
	}
	e.EnabledAt = begin.Add(time.Minute)
	if e.State(gone) != webhook.Active {
		t.Error("an endpoint that was enabled again is disabled")
	}
	if again := e.Current(health).Failed(e.EnabledAt.Add(time.Hour), false); e.State(again) != webhook.Active || again.FailingSince.Equal(begin) {
		t.Errorf("got %+v, want failures from before the endpoint was enabled to be forgotten", again)
	}
	e.Off = true
	if view := e.View(webhook.Health{}, begin); view.State != webhook.Disabled || view.Reason == "" {
		t.Errorf("got %+v, want it disabled by its owner", view)
	}
}

func TestFilters(t *testing.T) {
	failure := errors.New("the table is unavailable")
	in := func(folders ...string) func(context.Context, string) (bool, error) {
		return func(_ context.Context, folder string) (bool, error) {
			if folder == "broken" {
				return false, failure
			}
			return strings.Contains(strings.Join(folders, " "), folder), nil
		}
	}
	e := webhook.Event{Type: "library.completed", Area: "library", Tags: []string{"space", "moon"}, Below: in("a", "b")}
	for _, test := range []struct {
		filter webhook.Filter
		want   bool
	}{
		{webhook.Filter{}, true},
		{webhook.Filter{Areas: []string{"feed", "library"}}, true},
		{webhook.Filter{Areas: []string{"feed"}}, false},
		{webhook.Filter{Types: []string{"library.completed"}}, true},
		{webhook.Filter{Areas: []string{"library"}, Types: []string{"library.failed"}}, false},
		{webhook.Filter{Tags: []string{"sun", "moon"}}, true},
		{webhook.Filter{Tags: []string{"sun"}}, false},
		{webhook.Filter{Folder: "b"}, true},
		{webhook.Filter{Folder: "c"}, false},
		{webhook.Filter{Folder: "b", Areas: []string{"feed"}}, false},
	} {
		if got, err := test.filter.Selects(t.Context(), e); got != test.want || err != nil {
			t.Errorf("%+v: got %v, error %v, want %v", test.filter, got, err, test.want)
		}
	}
	if _, err := (webhook.Filter{Folder: "broken"}).Selects(t.Context(), e); !errors.Is(err, failure) {
		t.Errorf("got error %v, want that of the table", err)
	}
	e.Below = nil
	if got, err := (webhook.Filter{Folder: "b"}).Selects(t.Context(), e); got || err != nil {
		t.Errorf("an item without a folder: got %v, error %v, want false", got, err)
	}
}

// TestBody checks that a payload contains the result only on request, and if it is small.
func TestBody(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		include bool
		result  string
		want    string
	}{
		{false, `{"words":3}`, `{"type":"a.completed","timestamp":"2026-11-20T12:00:00Z","data":{"id":"1"}}`},
		{true, `{"words":3}`, `{"type":"a.completed","timestamp":"2026-11-20T12:00:00Z","data":{"id":"1","result":{"words":3}}}`},
		{true, ``, `{"type":"a.completed","timestamp":"2026-11-20T12:00:00Z","data":{"id":"1"}}`},
		{true, `"` + strings.Repeat("x", webhook.MaxBody-50) + `"`, `{"type":"a.completed","timestamp":"2026-11-20T12:00:00Z","data":{"id":"1"}}`},
	} {
		e := webhook.Event{
			Type: "a.completed", At: at, Data: map[string]string{"id": "1"},
			Result: func(context.Context) (json.RawMessage, error) { return json.RawMessage(test.result), nil },
		}
		if got, err := e.Body(t.Context(), test.include); got != test.want || err != nil {
			t.Errorf("got %s, error %v, want %s", got, err, test.want)
		}
	}
}
