package system

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
)

// Lists returns an error unless a list contains exactly the wanted items in order, with the text "The book was good.".
func (s System) Lists(ctx context.Context, query url.Values, want []string) error {
	items, err := s.FeedList(ctx, query)
	if err != nil {
		return err
	}
	var got []string
	for _, item := range items {
		got = append(got, item.SourceID)
		if item.Status != "analyzed" || item.Sentiment != "positive" || item.Compound != 0.4404 || item.ModelVersion != "v1.3.0" || item.TextSnippet != "The book was good." {
			return fmt.Errorf("the list contains %+v, want an analyzed positive item", item)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s lists %v, want %v", query.Encode(), got, want)
	}
	return nil
}

// FeedOutcomes returns the ids of all outcome events of an item, once no work on the item is queued.
func (s System) FeedOutcomes(t *testing.T, sourceID string) []string {
	t.Helper()
	return s.outcomesOf(t, s.JetStream(t), "ASSAY_WORK_FEED", "assay-work.*.*.feed.accepted."+sourceID, "assay.analysis.*.feed."+sourceID)
}

// FeedItem is an item of the feed as the API returns it.
type FeedItem struct {
	SourceID, SourceType, IngestedAt, SourceURL, TextSnippet string
	MatchedTags                                              []string
	Metadata                                                 map[string]any
	Status, Sentiment, ModelVersion, ErrorMessage, Language  string
	PublishedAt, FutureDate, SimilarTo                       string
	Unsupported, Archive                                     bool
	Score, Compound                                          float64
}

// Posting is an item to post.
type Posting struct {
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

// NewPosting returns an item with a unique source id.
func NewPosting(text string, tags ...string) Posting {
	return Posting{SourceID: fmt.Sprintf("newsapi#%s-%d", feedRun, feedNumber.Add(1)), SourceType: "newsapi", Text: text, MatchedTags: tags}
}

// NewTag returns a unique tag.
func NewTag() string { return "new tag " + strconv.FormatInt(feedNumber.Add(1), 10) }

// JSONHeader contains the header of a request with a JSON body.
var JSONHeader = map[string]string{"Content-Type": "application/json"}

// PostItem posts one item and returns the status and the response.
func (s System) PostItem(t *testing.T, p Posting) (int, FeedItem) {
	t.Helper()
	resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", JSONHeader, JSON(p))
	if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
		t.Fatalf("post %s: %d %s, want 200 or 201", p.SourceID, resp.StatusCode, body)
	}
	if got, want := resp.Header.Get("Location"), "/v1/feed/items/"+url.PathEscape(p.SourceID); got != want {
		t.Errorf("Location is %s, want %s", got, want)
	}
	var item FeedItem
	Decode(t, body, &item)
	return resp.StatusCode, item
}

// PostItems posts a batch and returns the outcomes, in the order of the items.
func (s System) PostItems(t *testing.T, items []Posting) []string {
	t.Helper()
	resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", JSONHeader, JSON(map[string]any{"items": items}))
	if resp.StatusCode != http.StatusMultiStatus {
		t.Fatalf("batch: %d %s, want 207", resp.StatusCode, body)
	}
	var out struct {
		Results []struct{ SourceID, Outcome string }
	}
	Decode(t, body, &out)
	if len(out.Results) != len(items) {
		t.Fatalf("the batch has %d outcomes, want %d: %s", len(out.Results), len(items), body)
	}
	var outcomes []string
	for i, result := range out.Results {
		if result.SourceID != items[i].SourceID {
			t.Fatalf("outcome %d is of %s, want %s", i, result.SourceID, items[i].SourceID)
		}
		outcomes = append(outcomes, result.Outcome)
	}
	return outcomes
}

// Analyzed waits until an item is analyzed and returns it.
func (s System) Analyzed(t *testing.T, sourceID string) FeedItem {
	t.Helper()
	resp, body := s.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(sourceID)+"?wait=60s", nil, "")
	var item FeedItem
	Decode(t, body, &item)
	if resp.StatusCode != http.StatusOK || item.Status != "analyzed" || item.SourceID != sourceID {
		t.Fatalf("%s: %d %s, want 200 and analyzed", sourceID, resp.StatusCode, body)
	}
	return item
}

// GetJSON sends a GET request for a path, and decodes the JSON response.
func (s System) GetJSON(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.HTTP+path, nil)
	if err != nil {
		return err
	}
	resp, body, err := RoundTrip(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s returned %d %s, want 200", path, resp.StatusCode, body)
	}
	return json.Unmarshal([]byte(body), into)
}

// FeedList returns the items of all pages of a list.
func (s System) FeedList(ctx context.Context, query url.Values) ([]FeedItem, error) {
	var all []FeedItem
	for {
		var page struct {
			Items      []FeedItem
			NextCursor string
		}
		if err := s.GetJSON(ctx, "/v1/feed/items?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// UTC formats a time as the API does.
func UTC(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// PutPending writes a pending item without a text, with additional attributes.
func (s System) PutPending(t *testing.T, sourceID, at string, more Item) {
	t.Helper()
	row := Item{
		"source_id": &types.AttributeValueMemberS{Value: sourceID}, "ingested_at": &types.AttributeValueMemberS{Value: at},
		"source_type": &types.AttributeValueMemberS{Value: "newsapi"}, "status": &types.AttributeValueMemberS{Value: "pending"},
		"text_snippet": &types.AttributeValueMemberS{Value: "What is lost."}, "source_url": &types.AttributeValueMemberS{Value: "https://example.com/lost"},
		"metadata":     &types.AttributeValueMemberM{Value: Item{"lost": &types.AttributeValueMemberBOOL{Value: true}}},
		"matched_tags": &types.AttributeValueMemberSS{Value: []string{"tag 9"}},
		"sentiment":    &types.AttributeValueMemberS{Value: "neutral"}, "score": &types.AttributeValueMemberN{Value: "0.5"},
		"compound": &types.AttributeValueMemberN{Value: "0"}, "model_version": &types.AttributeValueMemberS{Value: "v0.0.0"},
	}
	maps.Copy(row, more)
	if _, err := s.Tables().PutItem(Within(t), &dynamodb.PutItemInput{TableName: aws.String("sentiment-items-primary"), Item: row}); err != nil {
		t.Fatal(err)
	}
}

// TextKey returns the key of an item's text.
func TextKey(sourceID string) string { return blob.Key("feed/", hex.EncodeToString([]byte(sourceID))) }

// PutSubmission stores a submission, as if its writer had crashed afterwards.
func (s System) PutSubmission(t *testing.T, p Posting) {
	t.Helper()
	if p.IngestedAt == "" {
		p.IngestedAt = UTC(time.Now())
	}
	_, err := s.Objects().PutObject(Within(t), &s3.PutObjectInput{
		Bucket: &s.Bucket, Key: aws.String(TextKey(p.SourceID)), Body: strings.NewReader(JSON(p)), ContentType: aws.String("application/json"),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// GivenUp waits until the analysis of an item has been given up, and returns the item.
func (s System) GivenUp(t *testing.T, sourceID string) FeedItem {
	t.Helper()
	resp, body := s.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(sourceID)+"?wait=60s", nil, "")
	var item FeedItem
	Decode(t, body, &item)
	if resp.StatusCode != http.StatusOK || item.Status != "pending" || item.ErrorMessage == "" {
		t.Fatalf("%s: %d %s, want 200, pending and an error message", sourceID, resp.StatusCode, body)
	}
	return item
}

// AwaitItems waits until the feed contains the wanted number of items with a tag, and returns them.
func (s System) AwaitItems(t *testing.T, tag string, want int) []FeedItem {
	t.Helper()
	var got []FeedItem
	Eventually(t, func() (err error) {
		if got, err = s.FeedList(Within(t), url.Values{"tag": {tag}}); err == nil && len(got) != want {
			err = fmt.Errorf("%d items with the tag %q, want %d", len(got), tag, want)
		}
		return err
	})
	return got
}
