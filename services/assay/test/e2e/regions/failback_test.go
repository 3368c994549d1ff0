package regions

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// failBack deletes items in region b, returns region a, and makes it the region that writes.
func (d *drill) failBack(found map[string][]feed.Item, lost []acknowledgement) {
	t := d.t
	d.deleteSome(found, lost)
	began := time.Now()
	d.a.restart(t)
	d.global.Rejoin(d.a.name)
	d.texts.rejoin()
	if err := d.global.Settled(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	conflicts := len(d.global.Stats().Conflicts)
	t.Logf("failback: the tables are equal %s after the start of the engines of %s; %d items had conflicts", time.Since(began).Round(time.Millisecond), d.a.name, conflicts)
	if conflicts == 0 {
		t.Error("there were no conflicts, want some: the drill tests nothing")
	}
	system.Eventually(t, d.texts.settled)
	d.replay()
	d.checkNothingIsLost()
	d.checkDeleted(d.b)
	d.returnToA()
}

// deleted of each kind.
const deletions = 4

// deleteSome deletes, in region b: items that were replicated as analyzed, items whose result in region a was not replicated,
// and an item that was lost and posted again.
func (d *drill) deleteSome(found map[string][]feed.Item, lost []acknowledgement) {
	again := lost[0].posting.SourceID
	d.deleted[again], d.reappears[again] = true, !d.texted[again]
	stored := d.b.rows(d.t)
	replicated, overwritten := 0, 0
	for id, rows := range found {
		switch {
		case stored[id][0].Status != feed.Analyzed:
		case rows[0].Status == feed.Analyzed && replicated < deletions:
			replicated++
			d.deleted[id] = true
		case rows[0].Status == feed.Pending && d.inA.of(id) > 0 && overwritten < deletions:
			overwritten++
			d.deleted[id] = true
		}
	}
	if replicated == 0 || overwritten == 0 {
		d.t.Fatalf("%d items were replicated with a result and %d without the one that exists, want some of both", replicated, overwritten)
	}
	for id := range d.deleted {
		d.b.delete(d.t, id)
	}
}

// replay merges the rows of items that both regions have accepted, publishes the work of items that only region a had,
// and replays the dead letters of items whose texts have arrived.
func (d *drill) replay() {
	t := d.t
	system.AfterLease()
	report := d.b.Sweep(t)
	merged, published := strings.Count(report, "duplicate_rows  repaired"), strings.Count(report, "lost_message  repaired")
	system.Eventually(t, d.b.settled(t))
	d.deleteAgain()
	replayed := 0
	for _, rows := range d.b.rows(t) {
		if rows[0].GivenUp() {
			replayed++
		}
	}
	system.Dead(t, d.b.Operator, "replay", "--consumer", "analyzer-feed")
	system.Eventually(t, func() error {
		for id, rows := range d.b.rows(t) {
			if len(rows) != 1 || rows[0].Status != feed.Analyzed {
				return fmt.Errorf("%s is %+v, want one analyzed row", id, rows)
			}
		}
		return nil
	})
	t.Logf("a sweep in %s merged the rows of %d items that both regions had accepted, and published the work of %d; %d dead letters were replayed", d.b.name, merged, published, replayed)
}

// deleteAgain checks that an item that was lost, posted to region b, and deleted there before region a returned, exists again
// if its text had not been replicated either, because it is another row. It deletes it again.
func (d *drill) deleteAgain() {
	stored := d.b.rows(d.t)
	for id, reappears := range d.reappears {
		if exists := len(stored[id]) == 1; exists != reappears {
			d.t.Errorf("%s has %d rows after the return of %s, want one: %t", id, len(stored[id]), d.a.name, reappears)
		}
		if reappears {
			d.b.delete(d.t, id)
		}
	}
}

// checkNothingIsLost checks that both regions have every acknowledged item, once and with the same result.
func (d *drill) checkNothingIsLost() {
	t := d.t
	if err := d.global.Settled(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	a, b := d.a.rows(t), d.b.rows(t)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s has %d items and %s %d, want the same in both", d.a.name, len(a), d.b.name, len(b))
	}
	acked := append(d.load.acknowledged(d.a), d.load.acknowledged(d.b)...)
	for _, ack := range acked {
		if id := ack.posting.SourceID; !d.deleted[id] && len(b[id]) != 1 {
			t.Errorf("%s was acknowledged by %s, and has %d rows; want 1", id, ack.region, len(b[id]))
		}
	}
	var all []string
	for id := range b {
		all = append(all, id)
	}
	d.lists(d.b, all)
	t.Logf("all %d acknowledged items, except %d that were deleted, are analyzed in both regions", len(acked), len(d.deleted))
}

// checkDeleted checks that no deleted item exists in a region.
func (d *drill) checkDeleted(r *region) {
	rows := r.rows(d.t)
	for id := range d.deleted {
		if rows[id] != nil {
			d.t.Errorf("%s was deleted, and is in %s: %+v", id, r.name, rows[id])
		}
		resp, _ := r.Ask(d.t, http.MethodGet, "/v1/feed/items/"+strings.ReplaceAll(id, "#", "%23"), nil, "")
		if resp.StatusCode != http.StatusNotFound {
			d.t.Errorf("GET of the deleted item %s in %s returned %s, want 404", id, r.name, resp.Status)
		}
	}
}

// returnToA moves the writes back to region a without a loss: ingest of region b ends, its work ends, and the replication
// ends, before the programs of region a start.
func (d *drill) returnToA() {
	t := d.t
	cursor := lastEventID(t, d.b)
	began := time.Now()
	for _, p := range []*system.Service{d.b.ingest, d.b.analyzer} {
		if status := p.Interrupt(t); status != 0 {
			t.Errorf("exit status %d, want 0", status)
		}
		system.Eventually(t, d.b.settled(t))
	}
	if err := d.global.Settled(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	earlier := d.a.rows(t)
	again := watch(t, d.a)
	d.a.query = d.a.Service(t, "query")
	d.a.startIngest(t)
	d.load.route(d.a)
	p := system.NewPosting("The book was good.", d.tag)
	d.load.insist(p)
	t.Logf("return: %s accepts %s after the end of ingest in %s began", d.a.name, time.Since(began).Round(time.Millisecond), d.b.name)
	d.a.startAnalyzer(t)
	d.a.front(t)
	d.a.Analyzed(t, p.SourceID)
	if err := d.global.Settled(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, func() error { return noWork(t, d.a) })
	a, b := d.a.rows(t), d.b.rows(t)
	if !reflect.DeepEqual(a, b) || len(a) != len(earlier)+1 {
		t.Errorf("%s has %d items and %s %d, want the same %d in both", d.a.name, len(a), d.b.name, len(b), len(earlier)+1)
	}
	for id, rows := range earlier {
		if !reflect.DeepEqual(a[id], rows) {
			t.Errorf("%s is %+v after the return, want %+v: messages from before the failure change nothing", id, a[id], rows)
		}
		if again.of(id) > 1 {
			t.Errorf("%s has %d completed outcomes in %s after the return, want at most one", id, again.of(id), d.a.name)
		}
	}
	d.checkDeleted(d.a)
	var all []string
	for id := range a {
		all = append(all, id)
	}
	d.lists(d.a, all)
	d.lists(d.b, all)
	d.checkCheckpoints(d.a)
	checkResync(t, d.a, cursor)
}

// noWork returns an error while messages of the feed wait in a region.
func noWork(t *testing.T, r *region) error {
	t.Helper()
	stream, err := r.JetStream(t).Stream(system.Within(t), "ASSAY_WORK_FEED")
	if err != nil {
		return err
	}
	if n := stream.CachedInfo().State.Msgs; n > 0 {
		return errors.New("there are messages")
	}
	return nil
}
