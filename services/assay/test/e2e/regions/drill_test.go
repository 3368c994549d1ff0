package regions

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/globaltable"
)

var (
	rate     = flag.Int("regions.rate", 20, "items posted per second")
	before   = flag.Duration("regions.before", 5*time.Second, "duration of the load before the analyzer of the first region ends")
	degraded = flag.Duration("regions.degraded", 2*time.Second, "time from the end of the analyzer to the failure of its region, in which items stay pending")
	tableLag = flag.Duration("regions.lag", time.Second, "lag of the replication of the table")
	textLag  = flag.Duration("regions.textlag", 1500*time.Millisecond, "lag of the replication of texts")
	slack    = flag.Duration("regions.slack", 0, "time that the machine may add to the lag of the table; 0 means any")
	after    = flag.Duration("regions.after", 3*time.Second, "duration of the load after the failover")
)

// reason is the message of an item whose text does not exist in the region.
const reason = "the accepted text no longer exists"

// drill is a failover from region a to region b and back.
type drill struct {
	t                  *testing.T
	a, b               *region
	global             *globaltable.Table
	texts              *texts
	load               *sender
	tag                string
	inA, inB           *outcomes
	texted             map[string]bool // source ids of the lost items whose texts are in region b
	deleted, reappears map[string]bool // source ids
}

// TestRegionFails fails the region that writes, moves the load to the other region, and returns to the first one.
func TestRegionFails(t *testing.T) {
	if testing.Short() {
		t.Skip("make regions runs it")
	}
	d := &drill{t: t, a: startRegion(t, "us-east-1", 1), b: startRegion(t, "us-west-2", firstOutcome), tag: system.NewTag()}
	d.texted, d.deleted, d.reappears = map[string]bool{}, map[string]bool{}, map[string]bool{}
	global, err := globaltable.Start(t.Context(), globaltable.Options{Table: items, Lag: *tableLag, Regions: []globaltable.Region{d.a.replica(), d.b.replica()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := global.Close(); err != nil {
			t.Error(err)
		}
	})
	d.global, d.texts = global, replicateTexts(t, *textLag, d.a, d.b)
	d.a.startIngest(t)
	d.a.startAnalyzer(t)
	d.inA, d.inB = watch(t, d.a), watch(t, d.b)
	d.load = newSender(t, d.tag)
	d.load.route(d.a)
	d.load.start(*rate)
	<-time.After(*before)
	d.checkStandby()
	cursor := lastEventID(t, d.a)
	failed := d.fail()

	// Before b accepts anything.
	found := d.b.rows(t)
	d.b.startIngest(t)
	d.load.route(d.b)
	d.b.startAnalyzer(t)
	<-time.After(*after)
	d.load.end()

	acked := d.load.acknowledged(d.a)
	lost := d.measureLoss(failed, acked, found)
	d.measureRecovery(failed)
	d.repair(found)
	d.checkDuplicates(found, acked, lost)
	d.checkOnce(found)
	d.checkCheckpoints(d.b)
	checkResync(t, d.b, cursor)
	d.failBack(found, lost)
}

// checkStandby checks that region b, in which only query runs, shows what is replicated.
func (d *drill) checkStandby() {
	system.Eventually(d.t, func() error {
		listed, err := d.b.FeedList(system.Within(d.t), url.Values{"tag": {d.tag}})
		if err == nil && len(listed) == 0 {
			err = errors.New(d.b.name + " lists no items")
		}
		return err
	})
}

// fail fails region a while some items have a result that is not replicated, and others have none. The analyzer ends, so that
// items stay pending, and starts again. When it has completed the first of them, the region is killed.
func (d *drill) fail() (failed time.Time) {
	t := d.t
	d.a.analyzer.Kill(t)
	<-time.After(*degraded)
	waiting := map[string]bool{}
	for id, rows := range d.b.rows(t) {
		if rows[0].Status == feed.Pending && d.inA.of(id) == 0 {
			waiting[id] = true
		}
	}
	if len(waiting) == 0 {
		t.Fatalf("no item is pending in %s, want some: -regions.degraded must exceed -regions.lag", d.b.name)
	}
	d.a.startAnalyzer(t)
	system.Eventually(t, func() error {
		if d.inA.first(waiting).IsZero() {
			return errors.New("no waiting item is completed")
		}
		return nil
	})
	d.global.Isolate(d.a.name)
	d.texts.fail()
	failed = time.Now()
	d.a.kill(t)
	return failed
}

// repair runs the sweep of the runbook, and checks that each replicated item is completed or reported.
func (d *drill) repair(found map[string][]feed.Item) {
	t := d.t
	system.AfterLease()
	began := time.Now()
	report := d.b.Sweep(t)
	pending, given := 0, 0
	for id, rows := range found {
		if rows[0].Status == feed.Pending {
			pending++
			if !strings.Contains(report, "feed  "+id+"  lost_message  repaired") {
				t.Errorf("the sweep does not report that it has found %s", id)
			}
		}
	}
	system.Eventually(t, d.b.settled(t))
	took := time.Since(began)
	d.b.front(t)
	for id, rows := range d.b.rows(t) {
		if !rows[0].GivenUp() {
			continue
		}
		given++
		if err := d.b.HeadFile(system.Within(t), system.TextKey(id)); err == nil || rows[0].ErrorMessage != reason {
			t.Errorf("%s was given up because %q, and its text exists: %t; want only items without a text", id, rows[0].ErrorMessage, err == nil)
		}
	}
	if given == 0 && *textLag > *tableLag {
		t.Error("no item was given up, want some without a text: the drill tests nothing")
	}
	system.Eventually(t, func() error {
		if letters := strings.Count(system.Dead(t, d.b.Operator, "list", "--limit", "1000"), reason); letters != given {
			return fmt.Errorf("%d items were given up and %d have a dead letter, want the same", given, letters)
		}
		return nil
	})
	t.Logf("the sweep found all %d pending items; %s later %d were completed, and %d reported as dead letters because their text was not replicated (lag of texts %s)",
		pending, took.Round(time.Millisecond), pending-given, given, *textLag)
}

// settled returns a function that returns an error while an item of the region waits for its analysis.
func (r *region) settled(t *testing.T) func() error {
	return func() error {
		for id, rows := range r.rows(t) {
			for _, row := range rows {
				if !row.Settled() {
					return errors.New(id + " is " + string(row.Status))
				}
			}
		}
		return nil
	}
}

// checkDuplicates posts items again that region a had acknowledged: replicated ones are recognized, and lost ones are new.
func (d *drill) checkDuplicates(found map[string][]feed.Item, acked, lost []acknowledgement) {
	t := d.t
	stored := d.b.rows(t)
	var repeated, restored []system.Posting
	for _, ack := range slices.Backward(acked) {
		rows := stored[ack.posting.SourceID]
		switch {
		case found[ack.posting.SourceID] == nil:
		case rows[0].GivenUp() && len(restored) == 0:
			restored = append(restored, ack.posting)
		case !rows[0].GivenUp() && len(repeated) < 20:
			repeated = append(repeated, ack.posting)
		}
	}
	for _, p := range append(repeated, restored...) {
		if status, _ := d.b.PostItem(t, p); status != http.StatusOK {
			t.Errorf("a repeated post of the replicated item %s got %d, want 200", p.SourceID, status)
		}
	}
	for _, p := range restored {
		if item := d.b.Analyzed(t, p.SourceID); item.ErrorMessage != "" {
			t.Errorf("%s is %+v, want it completed with the text of the repeated post", p.SourceID, item)
		}
	}
	now := d.b.rows(t)
	for _, p := range repeated {
		if got, want := now[p.SourceID], stored[p.SourceID]; len(got) != 1 || got[0].AnalyzedAt != want[0].AnalyzedAt {
			t.Errorf("%s is %+v after a repeated post, want %+v", p.SourceID, got, want)
		}
	}
	again := lost[:(len(lost)+1)/2]
	for _, ack := range again {
		if status, _ := d.b.PostItem(t, ack.posting); status != http.StatusCreated {
			t.Errorf("a repeated post of the lost item %s got %d, want 201", ack.posting.SourceID, status)
		}
		d.b.Analyzed(t, ack.posting.SourceID)
	}
	t.Logf("posted again: %d replicated items were recognized, %d given-up items were completed, and %d lost items were created", len(repeated), len(restored), len(again))
}

// checkOnce checks that region b publishes one outcome of each item that it analyzes, none of those whose result was replicated,
// and lists each once.
func (d *drill) checkOnce(found map[string][]feed.Item) {
	t := d.t
	repeated := 0
	var analyzed []string
	for id, rows := range d.b.rows(t) {
		if rows[0].Status != feed.Analyzed {
			continue
		}
		analyzed = append(analyzed, id)
		want := 1
		if found[id] != nil && found[id][0].Status == feed.Analyzed {
			want = 0
		} else if d.inA.of(id) > 0 {
			repeated++
		}
		system.Eventually(t, func() error {
			if times := d.inB.of(id); times != want {
				return fmt.Errorf("%s has %d completed outcomes in %s, and was replicated as %+v; want %d", id, times, d.b.name, found[id], want)
			}
			return nil
		})
	}
	d.lists(d.b, analyzed)
	if repeated == 0 {
		t.Errorf("no item was completed in both regions, want some: the drill tests nothing")
	}
	t.Logf("%d items were completed in both regions, because the first result was not replicated", repeated)
}

// lists waits until a region lists exactly these items.
func (d *drill) lists(r *region, want []string) {
	d.t.Helper()
	slices.Sort(want)
	system.Eventually(d.t, func() error {
		listed, err := r.FeedList(system.Within(d.t), url.Values{"tag": {d.tag}, "limit": {"100"}})
		if err != nil {
			return err
		}
		var got []string
		for _, item := range listed {
			got = append(got, item.SourceID)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("%s lists %d items, want %d, each once", r.name, len(got), len(want))
		}
		return nil
	})
}

// checkCheckpoints checks that the checkpoints of a region are those of its own stream.
func (d *drill) checkCheckpoints(r *region) {
	if own, streams := r.stream(d.t), r.checkpoints(d.t); !slices.Equal(streams, []string{own}) {
		d.t.Errorf("the checkpoints of %s are of the streams %v, want %s", r.name, streams, own)
	}
}
