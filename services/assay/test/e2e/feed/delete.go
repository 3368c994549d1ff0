package feed

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// deletedItemsAreGone: after an operator deletes an item, the item, its text, its list entries and
// its share of the totals are gone.
func deletedItemsAreGone(t *testing.T, s system.System) {
	tag := system.NewTag()
	kept, gone := system.NewPosting("a great day", tag), system.NewPosting("a terrible day", tag)
	for _, p := range []system.Posting{kept, gone} {
		s.PostItem(t, p)
		s.Analyzed(t, p.SourceID)
	}
	s.AwaitItems(t, tag, 2)
	for range 2 {
		deleteItem(t, s, gone.SourceID)
	}
	if left := s.AwaitItems(t, tag, 1); left[0].SourceID != kept.SourceID {
		t.Errorf("item %s is listed, want %s", left[0].SourceID, kept.SourceID)
	}
	if resp, _ := s.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(gone.SourceID), nil, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET of the deleted item returned %s, want 404", resp.Status)
	}
	_, err := s.Objects().HeadObject(system.Within(t), &s3.HeadObjectInput{Bucket: &s.Bucket, Key: aws.String(system.TextKey(gone.SourceID))})
	if _, none := errors.AsType[*types.NotFound](err); !none {
		t.Errorf("HEAD of the deleted text returned %v, want not found", err)
	}
	var summary struct {
		Total     int
		Sentiment struct{ Positive, Negative int }
	}
	system.Eventually(t, func() error {
		if err := s.GetJSON(system.Within(t), "/v1/feed/summary?hours=1&sourceType=newsapi&tag="+url.QueryEscape(tag), &summary); err != nil {
			return err
		}
		if summary.Total != 1 || summary.Sentiment.Positive != 1 || summary.Sentiment.Negative != 0 {
			return fmt.Errorf("the summary is %+v, want one positive item", summary)
		}
		return nil
	})
	// Clients may not delete items.
	if resp, _ := s.Ask(t, http.MethodDelete, "/v1/feed/items/"+url.PathEscape(kept.SourceID), nil, ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a client's delete returned %s, want 405", resp.Status)
	}
}

// deleteItem deletes an item as an operator.
func deleteItem(t *testing.T, s system.System, sourceID string) {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodDelete, s.Operator+"/v1/feed/items/"+url.PathEscape(sourceID), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, body := system.Exchange(t, req); resp.StatusCode != http.StatusNoContent {
		t.Fatalf("delete returned %s, want 204: %s", resp.Status, body)
	}
}

// deletedItemsCanBePostedAgain: an item that is deleted and posted again at once, with the same id and even the same time, is
// analyzed like a new one, whether or not the deleted one was. The totals count the last text only.
func deletedItemsCanBePostedAgain(t *testing.T, s system.System) {
	tag := system.NewTag()
	p := system.NewPosting("", tag)
	p.IngestedAt = system.UTC(time.Now().Add(-time.Minute))
	analyzed := func(text, sentiment string) {
		t.Helper()
		if got := s.Analyzed(t, p.SourceID); got.TextSnippet != text || got.Sentiment != sentiment {
			t.Errorf("got %+v, want %q analyzed as %s", got, text, sentiment)
		}
	}
	for round := range 3 {
		p.Text = fmt.Sprintf("I love it, %d times.", round+2)
		if status, _ := s.PostItem(t, p); status != http.StatusCreated {
			t.Errorf("round %d: the first post returned %d, want 201", round, status)
		}
		if round != 1 { // in round 1, the deleted item may be pending
			analyzed(p.Text, "positive")
		}
		deleteItem(t, s, p.SourceID)
		p.Text = fmt.Sprintf("I hate it, %d times.", round+2)
		if status, _ := s.PostItem(t, p); status != http.StatusCreated {
			t.Errorf("round %d: the second post returned %d, want 201", round, status)
		}
		analyzed(p.Text, "negative")
		if round < 2 {
			deleteItem(t, s, p.SourceID)
		}
	}
	system.Eventually(t, func() error { // the list is projected from the items
		listed, err := s.FeedList(system.Within(t), url.Values{"tag": {tag}})
		if err == nil && (len(listed) != 1 || listed[0].TextSnippet != p.Text || listed[0].Sentiment != "negative") {
			err = fmt.Errorf("the list has %+v, want the last text, which is negative", listed)
		}
		return err
	})
	var summary struct {
		Total     int
		Sentiment struct{ Positive, Neutral, Negative int }
	}
	system.Eventually(t, func() error {
		if err := s.GetJSON(system.Within(t), "/v1/feed/summary?hours=1&sourceType=newsapi&tag="+url.QueryEscape(tag), &summary); err != nil {
			return err
		}
		if summary.Total != 1 || summary.Sentiment.Negative != 1 || summary.Sentiment.Positive+summary.Sentiment.Neutral != 0 {
			return fmt.Errorf("the summary is %+v, want one negative item", summary)
		}
		return nil
	})
}
