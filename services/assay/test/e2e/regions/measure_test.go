package regions

import (
	"fmt"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// measureLoss returns the acknowledged items that region b lacks, in the order of their acknowledgements.
func (d *drill) measureLoss(failed time.Time, acked []acknowledgement, found map[string][]feed.Item) (lost []acknowledgement) {
	for _, ack := range acked {
		if found[ack.posting.SourceID] == nil {
			lost = append(lost, ack)
		}
	}
	for _, ack := range lost {
		id := ack.posting.SourceID
		d.texted[id] = d.b.HeadFile(system.Within(d.t), system.TextKey(id)) == nil
	}
	pending := 0
	for _, rows := range found {
		if rows[0].Status == feed.Pending {
			pending++
		}
	}
	if len(lost) == 0 || pending == 0 {
		d.t.Fatalf("%d acknowledged items are missing and %d are pending in %s, want some of both: the drill tests nothing", len(lost), pending, d.b.name)
	}
	window := failed.Sub(lost[0].at)
	d.t.Logf("RPO: %d of %d acknowledged items are not in %s; the oldest was acknowledged %s before the failure (lag %s)",
		len(lost), len(acked), d.b.name, window.Round(time.Millisecond), *tableLag)
	d.t.Logf("%d of the replicated items are pending, without a message in %s", pending, d.b.name)
	if limit := *tableLag + *slack; *slack > 0 && window > limit {
		d.t.Errorf("an item acknowledged %s before the failure is missing, want at most %s", window, limit)
	}
	return lost
}

// measureRecovery measures the time from the failure until region b accepts an item, and until such an item is completed.
func (d *drill) measureRecovery(failed time.Time) {
	ids := map[string]bool{}
	var first time.Time
	for _, ack := range d.load.acknowledged(d.b) {
		if ack.status != http.StatusCreated {
			continue
		}
		ids[ack.posting.SourceID] = true
		if first.IsZero() || ack.at.Before(first) {
			first = ack.at
		}
	}
	if len(ids) == 0 {
		d.t.Fatalf("%s has accepted no item", d.b.name)
	}
	system.Eventually(d.t, func() error {
		for id := range ids {
			if d.inB.of(id) == 0 {
				return fmt.Errorf("%s is not completed in %s", id, d.b.name)
			}
		}
		return nil
	})
	d.t.Logf("RTO: %s accepts after %s, and has completed an item that it accepted after %s; %d requests failed meanwhile", d.b.name,
		first.Sub(failed).Round(time.Millisecond), d.inB.first(ids).Sub(failed).Round(time.Millisecond), d.load.failed)
}
