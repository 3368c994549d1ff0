package feed_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
)

func TestAccepted(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 250e6, time.UTC)
	e := feed.NewAccepted(&event.FeedItemAccepted{SourceId: "reddit#a-1_B", SourceType: "reddit", IngestedAt: timestamppb.New(at)})
	if e.ID != "feed.accepted/reddit#a-1_B" || e.Subject != "assay.feed.accepted.reddit#a-1_B" || e.Item != "reddit#a-1_B" {
		t.Errorf("got %+v, want id feed.accepted/reddit#a-1_B and the subject of that item", e)
	}
	if e.Owner != "" || e.Tenant != "reddit" || !e.Time.Equal(at) {
		t.Errorf("got owner %q, tenant %q, time %s, want no owner, reddit, %s", e.Owner, e.Tenant, e.Time, at)
	}
}
