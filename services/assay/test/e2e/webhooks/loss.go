package webhooks

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{"deliveries survive the loss of all events": deliveriesSurviveTheLossOfAllEvents}
}

// deliveriesSurviveTheLossOfAllEvents: after NATS has lost all outcomes, one of them before query has seen it, a sweep delivers
// the lost one and no other again. A replay sends each once more.
func deliveriesSurviveTheLossOfAllEvents(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	c.Service(t, "analyzer")
	c.Front(t, ingest, query)
	began := time.Now().UTC()
	owner := newOwner(c.System)
	to := owner.register(t, "")
	want := map[string]bool{}
	for range 2 {
		owner.upload(t, words, "")
		want[to.next(t).id] = true
	}
	ended := func() { // a delivery that is not recorded would be repeated
		t.Helper()
		system.Eventually(t, func() error {
			if got := owner.deliveries(t, to, "delivered"); len(got) != len(want) {
				return fmt.Errorf("%d deliveries have ended, want %d", len(got), len(want))
			}
			return nil
		})
	}
	ended()
	query.Kill(t)
	id := owner.upload(t, words, "")
	js := c.JetStream(t)
	system.Eventually(t, func() error {
		if len(c.Outcomes(t, js, id)) != 1 {
			return errors.New("no outcome is stored")
		}
		return nil
	})
	if err := js.DeleteStream(t.Context(), "ASSAY_OUTCOMES"); err != nil {
		t.Fatal(err)
	}
	c.SetUp(t)
	c.Front(t, ingest, c.Service(t, "query"))
	owner.System = c.System
	to.owner = owner
	system.AfterLease()
	if said := c.Sweep(t, "--outcomes-since", "1h"); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep printed %s, want 0 failed", said)
	}
	lost := to.next(t)
	if lost.Data["id"] != id || want[lost.id] {
		t.Errorf("got %+v, want the outcome of %s", lost, id)
	}
	want[lost.id] = true
	ended()
	var replayed struct{ Replayed int }
	owner.call(t, http.MethodPost, "/"+to.ID+"/replay", `{"since":"`+began.Add(-time.Second).Format(time.RFC3339)+`"}`, http.StatusOK, &replayed)
	if replayed.Replayed != len(want) {
		t.Errorf("got %d deliveries that are sent again, want %d", replayed.Replayed, len(want))
	}
	again := map[string]bool{}
	for range want {
		again[to.next(t).id] = true
	}
	if len(again) != len(want) {
		t.Errorf("got %v, want each of %v once", again, want)
	}
}
