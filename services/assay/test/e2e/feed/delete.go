package feed

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

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
		req, err := http.NewRequestWithContext(system.Within(t), http.MethodDelete, s.Operator+"/v1/feed/items/"+url.PathEscape(gone.SourceID), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, body := system.Exchange(t, req); resp.StatusCode != http.StatusNoContent {
			t.Fatalf("delete returned %s, want 204: %s", resp.Status, body)
		}
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
