package status

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// TestDeadLettersAreCounted checks the counts by area and class after dead letters are stored, dropped, and lost with their
// stream, and that every series exists from the start.
func TestDeadLettersAreCounted(t *testing.T) {
	w, reg := bustest.Open(t), prometheus.NewRegistry()
	d := NewDeadLetters(w.Bus, zerolog.Nop(), reg, []Area{
		{"textfile", bus.Work{Stream: bustest.WorkStream, Subjects: "assay.file.uploaded.>"}}, {"feed", bus.Work{Subjects: "assay.feed.accepted.>"}},
	})
	if n := testutil.CollectAndCount(d.gauge); n != 3*len(event.DeadClasses()) {
		t.Errorf("got %d series at the start, want one for each class of 2 areas and of no area", n)
	}
	store := func(e event.Event, class event.DeadClass, hour int) {
		t.Helper()
		at := bustest.When().Add(time.Duration(hour) * time.Hour)
		if err := w.Bus.RestoreDeadLetter(t.Context(), "worker", e, bus.Failure{Reason: "r", Class: class, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, want map[deadKind]float64) {
		t.Helper()
		if err := d.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, area := range []string{"textfile", "feed", "none"} {
			for _, class := range event.DeadClasses() {
				if got := testutil.ToFloat64(d.gauge.WithLabelValues(area, string(class))); got != want[deadKind{area, class}] {
					t.Errorf("%s: got %v dead letters of %s and class %s, want %v", when, got, area, class, want[deadKind{area, class}])
				}
			}
		}
	}
	check("without dead letters", nil)
	for i := range 4 {
		store(bustest.Uploaded(fmt.Sprint("f", i)), event.DeadCrashed, i)
	}
	store(bustest.Completed("f1"), event.DeadOther, 0)
	crashed, none := deadKind{"textfile", event.DeadCrashed}, deadKind{"none", event.DeadOther}
	check("after 5 were stored", map[deadKind]float64{crashed: 4, none: 1})

	var sequences []uint64
	for letter, err := range w.Bus.DeadLetters(t.Context(), bus.DeadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		sequences = append(sequences, letter.Sequence)
	}
	drop := func(sequence uint64) {
		t.Helper()
		if err := w.Bus.DropDead(t.Context(), sequence); err != nil {
			t.Fatal(err)
		}
	}
	drop(sequences[2])
	check("after the third was dropped", map[deadKind]float64{crashed: 3, none: 1})
	drop(sequences[0])
	drop(sequences[4])
	store(bustest.Uploaded("f9"), event.DeadMissing, 9)
	check("after the first and the last were dropped, and one was stored", map[deadKind]float64{crashed: 2, {"textfile", event.DeadMissing}: 1})

	if err := w.JS.DeleteStream(t.Context(), bus.StreamDead); err != nil {
		t.Fatal(err)
	}
	if err := w.Bus.Redeclare(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after the loss of the stream", nil)
	store(bustest.Uploaded("f1"), event.DeadTimeout, 1)
	check("in the new stream", map[deadKind]float64{{"textfile", event.DeadTimeout}: 1})
}
