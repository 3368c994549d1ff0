package workflow

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

var share = flag.Int("workflow.share", 480, "test one in this many calls; 1 tests all")

// point is the moment before or after the nth call of its kind since a scenario began.
type point struct {
	call wire.Call
	at   wire.Moment
	n    int
}

func (p point) String() string { return fmt.Sprintf("%s %s #%d", p.at, p.call, p.n) }

// counter counts the moments of a worker's calls by kind.
type counter map[point]int

func (c counter) next(call wire.Call, at wire.Moment) point {
	p := point{call: call, at: at}
	c[p]++
	p.n = c[p]
	return p
}

// scenario consists of the actions of a client and a check of the resulting file.
type scenario struct {
	name string
	play func(*world) library.File
	want func(*world, library.File) error
}

// moments runs a scenario without a crash and returns the moments of the worker's calls.
func (w *world) moments(s scenario) []point {
	w.t.Helper()
	var all []point
	seen := counter{}
	o := w.worker(func(c wire.Call, m wire.Moment) bool {
		if p := seen.next(c, m); c.Engine != "nats" || !strings.HasPrefix(c.Name, "pull") && !strings.HasPrefix(c.Name, "api") {
			all = append(all, p) // pulls and API requests are skipped: they change nothing
		}
		return false
	})
	w.end(s, s.play(w))
	o.end()
	w.t.Logf("%s: %d moments", s.name, len(all))
	return all
}

// end waits until a file passes the check of its scenario, and checks it again once the work stream is
// empty.
func (w *world) end(s scenario, f library.File) {
	w.t.Helper()
	w.until("the end of the scenario "+s.name, func() error { return s.want(w, f) })
	w.idle()
	if err := s.want(w, f); err != nil {
		w.t.Errorf("%s, after all work: %v", s.name, err)
	}
}

// ends returns a check that fails until a file is in the given state and has exactly one outcome.
func ends(state string) func(*world, library.File) error {
	return func(w *world, f library.File) error {
		f, err := w.File(w.t.Context(), f.ID)
		if n := w.outcomes(f.ID); err == nil && (string(f.Status) != state || n != 1) {
			err = fmt.Errorf("the file is %s with %d outcomes, want %s with 1", f.Status, n, state)
		}
		return err
	}
}

// block is a CIF with one record, which has no unit cell to draw.
const block = "data_a\n_title fox\n"

// recorded returns an error until a file with one record is Processed and has its objects.
func recorded(w *world, f library.File) error {
	if err := ends("Processed")(w, f); err != nil {
		return err
	}
	document, err := w.backends.Bucket.Part(w.t.Context(), library.ResultKey(f.ID, 1, records.OverviewName), 0, -1)
	if err != nil {
		return err
	}
	o, err := records.ParseOverview(document)
	if err != nil {
		return err
	}
	all := records.File{Total: o.Total(), Get: func(ctx context.Context, name string, offset, length int64) ([]byte, error) {
		return w.backends.Bucket.Part(ctx, library.ResultKey(f.ID, 1, name), offset, length)
	}}
	r, err := all.Record(w.t.Context(), 0)
	if err == nil && r.Name != "a" {
		err = fmt.Errorf("record 0 = %+v, want the name a", r)
	}
	return err
}

func scenarios() []scenario {
	return []scenario{
		{"a file", func(w *world) library.File { return w.add("a.bin", "", "\x00\x01\x02") }, ends("Processed")},
		{"a picture", func(w *world) library.File { return w.add("a.gif", "", animation(w.t)) }, ends("Processed")},
		{"records", func(w *world) library.File { return w.add("a.cif", "", block) }, recorded},
		{"an empty file", func(w *world) library.File { return w.add("a.pdf", "", "") }, ends("Failed")},
		{"an erasure", func(w *world) library.File {
			f := w.reserve("a.bin", "", 1)
			w.put(f, "a")
			w.erase(f.ID)
			return f
		}, func(w *world, f library.File) error { return w.nothing(f.ID) }},
	}
}

// TestKilledAtEveryCall: if a worker crashes at any of its calls, the next worker completes the work
// exactly once.
func TestKilledAtEveryCall(t *testing.T) {
	w := start(t)
	all := append(scenarios(), w.learning()...)
	for n, s := range all {
		for _, p := range chosen(w.moments(s), *share, n, len(all)) {
			w.killedAt(s, p)
		}
	}
}

// chosen returns one in every moments of the scenario with index n, at least one. The first is later for each successive
// scenario, so that all scenarios together cover the run of a worker.
func chosen(moments []point, every, n, scenarios int) []point {
	first := (2*n + 1) * len(moments) / (2 * scenarios)
	var all []point
	for i, p := range moments {
		if i%every == first%every {
			all = append(all, p)
		}
	}
	return all
}

func (w *world) killedAt(s scenario, p point) {
	w.t.Helper()
	seen := counter{}
	o := w.worker(func(c wire.Call, m wire.Moment) bool { return seen.next(c, m) == p })
	f := s.play(w)
	w.until("the call "+p.String(), func() error {
		if err := s.want(w, f); err != nil && !o.wire.IsCut() {
			return err
		}
		return nil
	})
	o.kill()
	next := w.worker(nil)
	defer next.end()
	w.end(s, f)
	if w.t.Failed() {
		w.t.Fatalf("%s: failed with a crash %s", s.name, p)
	}
}

// TestErasedAtEveryCall: a file of any type can be erased at any call of its worker, and therefore during
// any of its steps; no row and no object remain.
func TestErasedAtEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("make crash runs it")
	}
	w := start(t)
	w.lease = 5 * time.Second // a worker that loses its lease may leave an object, which a sweep removes
	samples := samples(t)
	plans := append(extract.Formats(), library.FormatOf(library.ModelType), library.FormatOf(library.PredictionType))
	for kind, content := range w.requests() {
		samples[kind] = sample{name: "derived", body: content}
	}
	for n, plan := range plans {
		one, ok := samples[plan.Type]
		if !ok {
			t.Errorf("got no sample of type %s, want one", plan.Type)
			continue
		}
		reserve := func() library.File { return w.reserveAs(typeAtFirst(plan.Type), one.name, "", len(one.body)) }
		s := scenario{string(plan.Type), func(w *world) library.File {
			f := reserve()
			w.upload(f, one.body)
			return f
		}, func(w *world, f library.File) error {
			err := ends("Processed")(w, f)
			if flow, failed := w.Workflow(t.Context(), f.ID); err == nil && failed == nil && flow.FileWorkflowType != plan.Type {
				err = fmt.Errorf("the type of the workflow is %s, want %s", flow.FileWorkflowType, plan.Type)
			}
			return err
		}}
		every := *share
		if every > 1 { // all types together take less time than one scenario
			every *= 2 * len(samples)
		}
		for _, p := range chosen(w.moments(s), every, n, len(plans)) {
			w.erasedAt(s, reserve, one.body, p)
		}
	}
}

// typeAtFirst returns the type with which a file is reserved: that of derived files is known then, and the content determines
// all others.
func typeAtFirst(kind extract.Type) extract.Type {
	if library.Derived(kind) {
		return kind
	}
	return extract.Generic
}

func (w *world) erasedAt(s scenario, reserve func() library.File, body string, p point) {
	w.t.Helper()
	seen := counter{}
	f := reserve()
	var erased atomic.Bool
	o := w.worker(func(c wire.Call, m wire.Moment) bool {
		if seen.next(c, m) == p && !erased.Swap(true) {
			w.erase(f.ID)
		}
		return false
	})
	w.upload(f, body)
	w.until("the end of the file", func() error {
		if err := s.want(w, f); err != nil && w.nothing(f.ID) != nil {
			return err
		}
		return nil
	})
	w.idle()
	o.end()
	if !erased.Load() {
		return
	}
	// If the call was the last acknowledgement, the worker has not detected the
	// erasure.
	next := w.worker(nil)
	defer next.end()
	w.until(s.name+", erased "+p.String(), func() error { return w.nothing(f.ID) })
	w.idle()
}
