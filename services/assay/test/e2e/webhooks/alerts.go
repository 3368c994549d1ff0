package webhooks

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// twoMinutes is longer than the time after which an alert is evaluated: a minute, and the time to count the items of it.
const twoMinutes = 2 * time.Minute

// alertsReachOperators: an alert of the feed that fires is delivered to an endpoint of the operators, with the items that caused
// it, and its state shows them too. The outcome of the item is delivered to the operators as well.
func alertsReachOperators(t *testing.T, s system.System) {
	operators := s
	operators.HTTP = s.Operator
	tag := system.NewTag()
	name := fmt.Sprintf("e2e-%d", time.Now().UnixNano())
	alerts := newOwner(operators).register(t, `"types":["feed.alert.firing"]`)
	items := newOwner(operators).register(t, `"areas":["feed"],"tags":["`+tag+`"],"include":"result"`)
	c := system.OperatorClient(t, s.Operator)
	if _, err := c.PutFeedAlert(t.Context(), name, client.FeedAlertSettings{Kind: "match", Enabled: true, Tag: tag}, ""); err != nil {
		t.Fatal(err)
	}
	posting := system.NewPosting("a launch with a tag", tag)
	s.PostItem(t, posting)
	if got := items.next(t); got.Type != "feed.completed" || got.Data["id"] != posting.SourceID || got.Data["result"] == nil {
		t.Errorf("got %+v, want the analysis of %s", got, posting.SourceID)
	}
	late := time.After(twoMinutes)
	for fired := false; !fired; {
		select {
		case got := <-alerts.arrived: // those of other tests too
			fired = got.Data["name"] == name
			if causes, ok := got.Data["items"].([]any); fired && (!ok || len(causes) != 1) {
				t.Errorf("got %+v, want one item", got)
			}
		case <-late:
			t.Fatalf("the alert has not fired within %s", twoMinutes)
		}
	}
	system.Eventually(t, func() error {
		alert, err := s.Client(t, "").FeedAlert(system.Within(t), name)
		if err == nil && (alert.State.Status != "firing" || len(alert.State.Items) != 1 || alert.State.Items[0].ID != posting.SourceID) {
			err = fmt.Errorf("got %+v, want it firing because of %s", alert.State, posting.SourceID)
		}
		return err
	})
	stored, err := c.FeedAlert(t.Context(), name)
	if err == nil {
		err = c.DeleteFeedAlert(t.Context(), name, stored.ETag)
	}
	if err != nil {
		t.Error(err)
	}
}
