package webhook_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/pkg/webhook"
)

func open(t *testing.T) (*webhook.Endpoints, *webhook.Deliveries) {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	return webhook.NewEndpoints(platform.NewStore(db, cfg)), webhook.NewDeliveries(db, cfg)
}

const endpoint = "01939e2c-7a3c-7cc1-b111-53f1c30f1c44"

// delivery returns the delivery of the n-th event.
func delivery(endpoint string, n int) webhook.Delivery {
	at := time.Now().Add(-time.Hour).Truncate(time.Hour).UnixMilli() + int64(n)
	return webhook.Delivery{
		EndpointID: endpoint, Owner: "ann", EventID: fmt.Sprintf("analysis.completed/textfile/f.%d/%d", n, at), Area: "textfile",
		Type: "textfile.completed", OccurredAt: at, Body: "{}",
	}
}

func add(t *testing.T, s *webhook.Deliveries, d webhook.Delivery) {
	t.Helper()
	if err := s.Add(t.Context(), webhook.New{Delivery: d}); err != nil {
		t.Fatal(err)
	}
}

// due reads the deliveries that are due.
func due(t *testing.T, s *webhook.Deliveries) []webhook.Delivery {
	t.Helper()
	found, err := s.Due(t.Context(), endpoint, 100)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Read(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func events(all []webhook.Delivery) []string {
	var ids []string
	for _, d := range all {
		ids = append(ids, d.EventID)
	}
	return ids
}

// TestDeliveriesAreAttemptedOnSchedule checks that an event has one delivery, that a failed attempt delays it, and that a
// program that has not seen the attempt cannot record another one.
func TestDeliveriesAreAttemptedOnSchedule(t *testing.T) {
	_, s := open(t)
	first, second := delivery(endpoint, 1), delivery(endpoint, 2)
	add(t, s, first)
	add(t, s, second)
	add(t, s, first) // a repetition
	got := due(t, s)
	if want := []string{first.EventID, second.EventID}; !slices.Equal(events(got), want) {
		t.Fatalf("got %v, want %v", events(got), want)
	}
	failed := webhook.Attempt{At: time.Now().UnixMilli(), HTTP: http.StatusServiceUnavailable}
	if err := s.Attempted(t.Context(), got[0], failed, webhook.StatusPending, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.Attempted(t.Context(), got[0], failed, webhook.StatusDead, time.Time{}); !errors.Is(err, webhook.ErrMoved) {
		t.Errorf("another attempt: got error %v, want ErrMoved", err)
	}
	if err := s.Attempted(t.Context(), got[1], webhook.Attempt{HTTP: http.StatusOK}, webhook.StatusDelivered, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if left := due(t, s); len(left) > 0 {
		t.Errorf("got %v, want none that is due", events(left))
	}
	waiting, err := s.Find(t.Context(), endpoint, webhook.MessageID(first.EventID))
	if err != nil || waiting.Status != webhook.StatusPending || waiting.Failed != 1 || len(waiting.Attempts) != 1 {
		t.Errorf("got %+v, error %v, want a pending delivery with a failed attempt", waiting, err)
	}
	settled, err := s.Find(t.Context(), endpoint, second.EventID)
	if err != nil || settled.Status != webhook.StatusDelivered || settled.NextAt != 0 {
		t.Errorf("got %+v, error %v, want a delivered one", settled, err)
	}
	for _, d := range []webhook.Delivery{waiting, settled} {
		if err := s.Again(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	again := due(t, s)
	if len(again) != 2 || again[0].Failed != 0 {
		t.Errorf("got %+v, want both deliveries with a new schedule", again)
	}
}

// TestEveryWaitingEndpointIsFound checks that endpoints with many pending deliveries do not hide others of their shard.
func TestEveryWaitingEndpointIsFound(t *testing.T) {
	_, s := open(t)
	want := map[string]int64{}
	shard := webhook.Shard(endpoint)
	for i := 0; len(want) < 4; i++ {
		id := fmt.Sprintf("01939e2c-7a3c-7cc1-b111-%012d", i)
		if webhook.Shard(id) != shard {
			continue
		}
		for n := range 70 * (len(want) % 2) {
			add(t, s, delivery(id, n+1))
		}
		add(t, s, delivery(id, 0))
		found, err := s.Due(t.Context(), id, 1)
		if err != nil || len(found) != 1 {
			t.Fatalf("got %v, error %v", found, err)
		}
		want[id] = found[0].NextAt
	}
	got := map[string]int64{}
	err := s.Waiting(t.Context(), shard, func(id string, next time.Time) { got[id] = next.UnixMilli() })
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
}

// TestLog checks the order of lists, their filter, and the parts of a log that a replay reads.
func TestLog(t *testing.T) {
	_, s := open(t)
	var all []string
	for n := range 7 {
		d := delivery(endpoint, n)
		add(t, s, d)
		all = append(all, d.EventID)
	}
	third, err := s.Find(t.Context(), endpoint, all[3])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Attempted(t.Context(), third, webhook.Attempt{}, webhook.StatusDead, time.Time{}); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for cursor := ""; ; {
		page, next, err := s.List(t.Context(), endpoint, "", 3, cursor)
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, events(page)...)
		if cursor = next; cursor == "" {
			break
		}
	}
	slices.Reverse(listed)
	if !slices.Equal(listed, all) {
		t.Errorf("got %v, want %v", listed, all)
	}
	dead, _, err := s.List(t.Context(), endpoint, webhook.StatusDead, 10, "")
	if err != nil || !slices.Equal(events(dead), all[3:4]) {
		t.Errorf("got %v, error %v, want %v", events(dead), err, all[3:4])
	}
	later, more, err := s.Since(t.Context(), endpoint, webhook.From(time.Time{}, time.UnixMilli(third.OccurredAt+3)).AfterEvent(third), 10)
	if err != nil || more || !slices.Equal(events(later), all[4:6]) {
		t.Errorf("got %v, more %v, error %v, want %v", events(later), more, err, all[4:6])
	}
	from, more, err := s.Since(t.Context(), endpoint, webhook.From(time.UnixMilli(third.OccurredAt), time.Time{}), 2)
	if err != nil || !more || !slices.Equal(events(from), all[3:5]) {
		t.Errorf("got %v, more %v, error %v, want %v", events(from), more, err, all[3:5])
	}
	for _, id := range []string{"", "none", all[0] + "1", webhook.MessageID(all[0])[1:]} {
		if _, err := s.Find(t.Context(), endpoint, id); !errors.Is(err, platform.ErrNotFound) {
			t.Errorf("%q: got error %v, want ErrNotFound", id, err)
		}
	}
}

// TestSecretsAreSealed checks that a stored endpoint contains no secret, that another endpoint cannot use it, and that
// the previous secret ends a day after a rotation.
func TestSecretsAreSealed(t *testing.T) {
	s, _ := open(t)
	old, renewed := webhook.NewSecret(false), webhook.NewSecret(true)
	sealed, err := s.Seal(t.Context(), endpoint, old)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Seal(t.Context(), endpoint, renewed)
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := s.Unseal(t.Context(), endpoint, sealed); err != nil || opened != old {
		t.Errorf("got %q, error %v", opened, err)
	}
	if _, err := s.Unseal(t.Context(), "other", sealed); err == nil {
		t.Error("another endpoint can use the secret")
	}
	now := time.Now()
	e := webhook.Endpoint{}.Rotated(sealed, now.Add(-time.Hour)).Rotated(again, now)
	if got := e.Valid(now.Add(webhook.KeepSecret - time.Second)); !slices.Equal(got, []string{again, sealed}) {
		t.Errorf("within a day: got %v", got)
	}
	if got := e.Valid(now.Add(webhook.KeepSecret)); !slices.Equal(got, []string{again}) {
		t.Errorf("after a day: got %v", got)
	}
}
