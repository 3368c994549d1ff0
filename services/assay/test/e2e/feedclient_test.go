package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// feedItem is an item of the feed as the API shows it.
type feedItem struct {
	SourceID, SourceType, IngestedAt, SourceURL, TextSnippet string
	MatchedTags                                              []string
	Metadata                                                 map[string]any
	Status, Sentiment, ModelVersion, ErrorMessage            string
	Score, Compound                                          float64
}

// posting is an item to post.
type posting struct {
	SourceID    string         `json:"sourceId"`
	SourceType  string         `json:"sourceType"`
	IngestedAt  string         `json:"ingestedAt,omitempty"`
	SourceURL   string         `json:"sourceUrl,omitempty"`
	Text        string         `json:"text"`
	MatchedTags []string       `json:"matchedTags"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

var (
	feedRun    = strings.ReplaceAll(uuid.NewString(), "-", "")
	feedNumber atomic.Int64
)

// newPosting returns a unique item.
func newPosting(text string, tags ...string) posting {
	return posting{SourceID: fmt.Sprintf("newsapi#%s-%d", feedRun, feedNumber.Add(1)), SourceType: "newsapi", Text: text, MatchedTags: tags}
}

// newTag returns a unique tag.
func newTag() string { return "new tag " + strconv.FormatInt(feedNumber.Add(1), 10) }

var jsonHeader = map[string]string{"Content-Type": "application/json"}

// postItem posts one item and returns the status and the response.
func (s system) postItem(t *testing.T, p posting) (int, feedItem) {
	t.Helper()
	resp, body := s.ask(t, http.MethodPost, "/v1/feed/items", jsonHeader, show(p))
	if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
		t.Fatalf("post %s: %d %s", p.SourceID, resp.StatusCode, body)
	}
	if got, want := resp.Header.Get("Location"), "/v1/feed/items/"+url.PathEscape(p.SourceID); got != want {
		t.Errorf("Location is %s, want %s", got, want)
	}
	var item feedItem
	decode(t, body, &item)
	return resp.StatusCode, item
}

// postItems posts a batch and returns the outcomes, in the order of the items.
func (s system) postItems(t *testing.T, items []posting) []string {
	t.Helper()
	resp, body := s.ask(t, http.MethodPost, "/v1/feed/items", jsonHeader, show(map[string]any{"items": items}))
	if resp.StatusCode != http.StatusMultiStatus {
		t.Fatalf("batch: %d %s", resp.StatusCode, body)
	}
	var out struct {
		Results []struct{ SourceID, Outcome string }
	}
	decode(t, body, &out)
	if len(out.Results) != len(items) {
		t.Fatalf("%d outcomes of %d items: %s", len(out.Results), len(items), body)
	}
	var outcomes []string
	for i, result := range out.Results {
		if result.SourceID != items[i].SourceID {
			t.Fatalf("outcome %d is that of %s instead of %s", i, result.SourceID, items[i].SourceID)
		}
		outcomes = append(outcomes, result.Outcome)
	}
	return outcomes
}

// analyzed waits until an item is analyzed and returns it.
func (s system) analyzed(t *testing.T, sourceID string) feedItem {
	t.Helper()
	resp, body := s.ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(sourceID)+"?wait=60s", nil, "")
	var item feedItem
	decode(t, body, &item)
	if resp.StatusCode != http.StatusOK || item.Status != "analyzed" || item.SourceID != sourceID {
		t.Fatalf("%s: %d %s", sourceID, resp.StatusCode, body)
	}
	return item
}

// get reads JSON from an address.
func (s system) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.HTTP+path, nil)
	if err != nil {
		return err
	}
	resp, body, err := roundTrip(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s", path, resp.StatusCode, body)
	}
	return json.Unmarshal([]byte(body), into)
}

// feedList reads all pages of a list.
func (s system) feedList(ctx context.Context, query url.Values) ([]feedItem, error) {
	var all []feedItem
	for {
		var page struct {
			Items      []feedItem
			NextCursor string
		}
		if err := s.get(ctx, "/v1/feed/items?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// utc formats a time as in the API.
func utc(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
