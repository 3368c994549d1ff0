package bus_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/event"
)

func TestWatchGetsTheHint(t *testing.T) {
	w := open(t)
	seen, stop, err := w.bus.Watch(t.Context(), event.OutcomesOf(event.AreaTextFile, "f1"))
	if err != nil {
		t.Fatal(err)
	}
	w.publish(t, completed("f2"), completed("f1"))
	next(t, seen, "hint")
	w.publish(t, event.NewAnalysisFailed(&event.AnalysisFailed{Area: event.AreaTextFile, Id: "f1"}))
	next(t, seen, "hint of a failure")
	stop()
	w.bus.Close()
	stop() // after the connection is gone it is no error either
}
