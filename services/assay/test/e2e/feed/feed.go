package feed

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// feedItemsAreAnalyzed: an item has the sentiment of its text, even if only the end of a text of 10,000 characters
// expresses a sentiment.
func feedItemsAreAnalyzed(t *testing.T, s system.System) {
	filler := strings.Repeat("the ", 2490)
	for text, want := range map[string]struct {
		sentiment string
		compound  float64
	}{
		// The compound values are published by the authors of VADER.
		"VADER is smart, handsome, and funny.": {"positive", 0.8316},
		"Today SUX!":                           {"negative", -0.5461},
		"The book was good.":                   {"positive", 0.4404},
		"The table stands in the room.":        {"neutral", 0},
		"":                                     {"neutral", 0},
		filler + strings.Repeat(" ", 15) + " awful": {"negative", -0.4588},
	} {
		p := system.NewPosting(text, system.NewTag())
		status, item := s.PostItem(t, p)
		if status != http.StatusCreated || item.Status != "pending" && item.Status != "analyzed" {
			t.Errorf("post of %.40q: %d %+v, want 201 and a pending or analyzed item", text, status, item)
		}
		got := s.Analyzed(t, p.SourceID)
		if got.Sentiment != want.sentiment || got.Compound != want.compound || got.ModelVersion != "v1.3.0" || got.Score < 0.525 || got.Score > 1 {
			t.Errorf("%.40q is %+v, want %+v by model v1.3.0 with a score of 0.525 to 1", text, got, want)
		}
		if !strings.HasPrefix(text, got.TextSnippet) || len(got.TextSnippet) != min(len(text), 200) {
			t.Errorf("the snippet of %.40q is %q, want its first %d bytes", text, got.TextSnippet, min(len(text), 200))
		}
	}
}

// oneSourceIDIsOneItem: exactly one of 100 concurrent writers creates the item, which has one row in the table, the text
// of one writer, the tags of all, and one outcome.
func oneSourceIDIsOneItem(t *testing.T, s system.System) {
	p := system.NewPosting("good", "a")
	const writers = 100
	statuses := make([]int, writers)
	texts := map[string]string{}
	var calls sync.WaitGroup
	for i := range writers {
		mine := p
		mine.Text = "writer " + strconv.Itoa(i) + " is good"
		mine.MatchedTags = []string{"a", "tag " + strconv.Itoa(i%4)}
		texts[mine.Text] = mine.SourceID
		calls.Go(func() { statuses[i], _ = s.PostItem(t, mine) })
	}
	calls.Wait()
	slices.Sort(statuses)
	if created, _ := slices.BinarySearch(statuses, http.StatusCreated); created != writers-1 {
		t.Errorf("the statuses are %v, want one 201", statuses)
	}
	got := s.Analyzed(t, p.SourceID)
	if _, known := texts[got.TextSnippet]; !known || !slices.Equal(got.MatchedTags, []string{"a", "tag 0", "tag 1", "tag 2", "tag 3"}) {
		t.Errorf("the item is %+v, want the text of one writer and the tags of all", got)
	}
	rows, err := s.Tables().Query(system.Within(t), &dynamodb.QueryInput{
		TableName: aws.String("sentiment-items-primary"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
		ExpressionAttributeValues: system.Item{":id": &types.AttributeValueMemberS{Value: p.SourceID}},
	})
	if err != nil || len(rows.Items) != 1 {
		t.Errorf("%d rows, %v; want 1 row", len(rows.Items), err)
	}
	if outcomes := s.FeedOutcomes(t, p.SourceID); len(outcomes) != 1 {
		t.Errorf("outcomes %v, want one", outcomes)
	}
}

// itemsMatchOneSubmission: after concurrent posts of one source id, text, time, URL and metadata come from the same
// post, in each response and after the analysis.
func itemsMatchOneSubmission(t *testing.T, s system.System) {
	const rounds, writers = 40, 4
	for round := range rounds {
		first := system.NewPosting("", "a")
		submissions := map[string]string{} // by text
		describe := func(at, url string, metadata map[string]any) string {
			return at + " " + url + " " + system.JSON(metadata)
		}
		var calls sync.WaitGroup
		start := make(chan struct{})
		answers := make([]system.FeedItem, writers)
		for i := range writers {
			mine := first
			mine.Text = fmt.Sprintf("writer %d is good", i)
			mine.IngestedAt = system.UTC(time.Now().Add(-time.Duration(1+i) * time.Minute))
			mine.SourceURL = fmt.Sprintf("https://example.com/%d", i)
			mine.Metadata = map[string]any{"writer": float64(i), "only " + strconv.Itoa(i): true}
			submissions[mine.Text] = describe(mine.IngestedAt, mine.SourceURL, mine.Metadata)
			calls.Go(func() {
				<-start
				_, answers[i] = s.PostItem(t, mine)
			})
		}
		close(start)
		calls.Wait()
		got := s.Analyzed(t, first.SourceID)
		for _, answer := range append(answers, got) {
			if mixed := describe(answer.IngestedAt, answer.SourceURL, submitted(answer)); answer.TextSnippet != got.TextSnippet || submissions[answer.TextSnippet] != mixed {
				t.Errorf("round %d: %q is %s, want %s", round, answer.TextSnippet, mixed, submissions[answer.TextSnippet])
			}
		}
	}
}

// submitted returns the metadata of an item without the language, which the analysis adds.
func submitted(i system.FeedItem) map[string]any {
	metadata := maps.Clone(i.Metadata)
	delete(metadata, "language")
	return metadata
}

// unfinishedItemsAreCompleted: if a writer crashes after it stores its submission, the next writer with the same source
// id writes the row from that submission and adds its own tags.
func unfinishedItemsAreCompleted(t *testing.T, s system.System) {
	p := system.NewPosting("This one is awful.", "b")
	p.SourceURL, p.Metadata = "https://example.com/second", map[string]any{"second": true}
	dead := system.NewPosting("The book was good.", "a")
	dead.SourceID, dead.IngestedAt = p.SourceID, system.UTC(time.Now().Add(-time.Hour))
	dead.SourceURL, dead.Metadata = "https://example.com/first", map[string]any{"first": true}
	s.PutSubmission(t, dead)
	isFirst := func(got system.FeedItem) bool {
		return got.IngestedAt == dead.IngestedAt && got.TextSnippet == dead.Text && got.SourceURL == dead.SourceURL &&
			system.JSON(submitted(got)) == system.JSON(dead.Metadata) && slices.Equal(got.MatchedTags, []string{"a", "b"})
	}
	if status, got := s.PostItem(t, p); status != http.StatusCreated || !isFirst(got) {
		t.Errorf("second post: %d %+v, want 201 and the first submission", status, got)
	}
	if got := s.Analyzed(t, p.SourceID); got.Compound != 0.4404 || !isFirst(got) {
		t.Errorf("analyzed as %+v, want the first submission", got)
	}
	if status, got := s.PostItem(t, p); status != http.StatusOK || !isFirst(got) {
		t.Errorf("third post: %d %+v, want 200 and the first submission", status, got)
	}
}

// duplicatesAddTags: a repeated post only adds tags, up to 5 in total, even to an analyzed item.
func duplicatesAddTags(t *testing.T, s system.System) {
	p := system.NewPosting("The book was good.", "a")
	s.PostItem(t, p)
	first := s.Analyzed(t, p.SourceID)
	for _, c := range []struct{ add, want []string }{
		{[]string{"a"}, []string{"a"}},
		{[]string{"b", "a"}, []string{"a", "b"}},
		{[]string{"c", "d", "e", "f"}, []string{"a", "b", "c", "d", "e"}},
		{[]string{"g"}, []string{"a", "b", "c", "d", "e"}},
	} {
		again := p
		again.Text, again.MatchedTags, again.IngestedAt = "This one is awful.", c.add, "2025-11-16T14:30:00.000Z"
		status, got := s.PostItem(t, again)
		if status != http.StatusOK || !slices.Equal(got.MatchedTags, c.want) {
			t.Errorf("after %v: %d %v, want 200 %v", c.add, status, got.MatchedTags, c.want)
		}
		if got.IngestedAt != first.IngestedAt || got.TextSnippet != first.TextSnippet || got.Compound != first.Compound || got.Status != "analyzed" {
			t.Errorf("after the repeated post: %+v, want %+v", got, first)
		}
	}
	if outcomes := s.FeedOutcomes(t, p.SourceID); len(outcomes) != 1 {
		t.Errorf("outcomes %v, want one", outcomes)
	}
}

// warningsAreReported: the response reports that an item is older than the dashboard's time window, or that not all of
// its tags were added.
func warningsAreReported(t *testing.T, s system.System) {
	type remarks struct {
		OlderThanWindow bool
		IgnoredTags     []string
	}
	post := func(body any, into any) {
		_, answer := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, system.JSON(body))
		system.Decode(t, answer, into)
	}
	p := system.NewPosting("The book was good.", "a")
	var first, again remarks
	post(p, &first)
	p.MatchedTags, p.IngestedAt = []string{"b", "c", "d", "e", "f"}, ""
	post(p, &again)
	if first.OlderThanWindow || len(first.IgnoredTags) != 0 || again.OlderThanWindow || !slices.Equal(again.IgnoredTags, []string{"f"}) {
		t.Errorf("first post: %+v, want no warning; second post: %+v, want the ignored tag f", first, again)
	}
	old := system.NewPosting("The book was good.", "a")
	old.IngestedAt = system.UTC(time.Now().Add(-8 * 24 * time.Hour))
	var batch struct{ Results []remarks }
	post(map[string]any{"items": []system.Posting{old, p}}, &batch)
	if len(batch.Results) != 2 || !batch.Results[0].OlderThanWindow || batch.Results[1].OlderThanWindow || !slices.Equal(batch.Results[1].IgnoredTags, []string{"f"}) {
		t.Errorf("batch: %+v, want the first item older than the window, and the ignored tag f of the second", batch.Results)
	}
}

// taggedItemsAreShownOnce: two items with the same time, one of which has three tags, appear once in the list of each of
// their tags, and once in the list of all items.
func taggedItemsAreShownOnce(t *testing.T, s system.System) {
	tags := []string{system.NewTag(), system.NewTag(), system.NewTag()}
	at := system.UTC(time.Now().Add(-time.Minute))
	first, second := system.NewPosting("The book was good.", tags...), system.NewPosting("The book was good.", tags[0])
	first.IngestedAt, second.IngestedAt = at, at
	s.PostItem(t, first)
	s.PostItem(t, second)
	both := []string{second.SourceID, first.SourceID} // newest first, then by descending id
	slices.SortFunc(both, func(a, b string) int { return strings.Compare(b, a) })
	for i, want := range [][]string{both, {first.SourceID}, {first.SourceID}} {
		for _, query := range []url.Values{{"tag": {tags[i]}}, {"tag": {tags[i]}, "sentiment": {"positive"}}, {"tag": {tags[i]}, "limit": {"1"}}} {
			system.Eventually(t, func() error { return s.Lists(system.Within(t), maps.Clone(query), want) })
		}
	}
	shown, err := s.FeedList(system.Within(t), url.Values{"limit": {"1000"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range both {
		if n := len(slices.DeleteFunc(slices.Clone(shown), func(i system.FeedItem) bool { return i.SourceID != p })); n != 1 {
			t.Errorf("%s is listed %d times among all items, want once", p, n)
		}
	}
	for _, query := range []string{"hours=0", "hours=169", "hours=x", "limit=0", "limit=1001", "sentiment=happy", "cursor=x", "tag=" + strings.Repeat("x", 51)} {
		resp, body := s.Ask(t, http.MethodGet, "/v1/feed/items?"+query, nil, "")
		system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
	}
}

// batchesReportEachOutcome: a batch returns 207 with an outcome for each item, in order.
func batchesReportEachOutcome(t *testing.T, s system.System) {
	known := system.NewPosting("good", "a")
	s.PostItem(t, known)
	fresh, noTags, twice := system.NewPosting("good", "a"), system.NewPosting("good"), system.NewPosting("good", "a")
	resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader,
		`{"items":[`+strings.Join([]string{system.JSON(known), system.JSON(fresh), system.JSON(noTags), system.JSON(twice), system.JSON(twice), `7`, `{"sourceId":5}`, `{"x":1}`}, ",")+`]}`)
	var out struct {
		Results []struct {
			SourceID, Outcome string
			Errors            []struct{ Field, Message string }
		}
	}
	system.Decode(t, body, &out)
	if resp.StatusCode != http.StatusMultiStatus || len(out.Results) != 8 {
		t.Fatalf("the batch returned %d %s, want 207 and 8 results", resp.StatusCode, body)
	}
	// Either of two items with the same id can be first.
	pair := []string{out.Results[3].Outcome, out.Results[4].Outcome}
	if slices.Sort(pair); !slices.Equal(pair, []string{"created", "duplicate"}) {
		t.Errorf("outcomes of the same item twice: %v, want created and duplicate", pair)
	}
	for i, want := range map[int]string{0: "duplicate", 1: "created", 2: "invalid", 5: "invalid", 6: "invalid", 7: "invalid"} {
		got := out.Results[i]
		if got.Outcome != want || (len(got.Errors) > 0) != (want == "invalid") {
			t.Errorf("item %d: %+v, want %s", i, got, want)
		}
	}
	for i, want := range map[int]string{2: "body.matchedTags", 5: "body", 6: "body.sourceId", 7: "body.x"} {
		if e := out.Results[i].Errors; len(e) != 1 || e[0].Field != want {
			t.Errorf("item %d has the errors %+v, want one for %s", i, e, want)
		}
	}
	for name, body := range map[string]string{
		"none": `{"items":[]}`, "no list": `{"items":1}`, "unknown field": `{"items":[{}],"x":1}`,
		"101": `{"items":[` + strings.Repeat("{},", 100) + `{}]}`,
	} {
		resp, answer := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, body)
		if p := system.Refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != "body.items" {
			t.Errorf("batch %q: %s, want one error for body.items", name, answer)
		}
	}
}

// invalidItemsAreRejected: an invalid item is rejected and not stored.
func invalidItemsAreRejected(t *testing.T, s system.System) {
	p := system.NewPosting("good", "a")
	p.SourceURL = "http://example.com"
	resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, system.JSON(p))
	if p := system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != "body.sourceUrl" {
		t.Errorf("post with an http URL: %s, want one error for body.sourceUrl", body)
	}
	resp, body = s.Ask(t, http.MethodGet, "/v1/feed/items/"+strings.ReplaceAll(p.SourceID, "#", "%23"), nil, "")
	system.Refused(t, resp, body, http.StatusNotFound, "not-found")
	for _, broken := range []string{"", "[]", "{", "\xff"} {
		resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, broken)
		system.Refused(t, resp, body, http.StatusBadRequest, "bad-request")
	}
	resp, body = s.Ask(t, http.MethodPost, "/v1/feed/items", map[string]string{"Content-Type": "text/plain"}, system.JSON(p))
	system.Refused(t, resp, body, http.StatusUnsupportedMediaType, "unsupported-media-type")
	resp, body = s.Ask(t, http.MethodPost, "/v1/feed/items", nil, system.JSON(p)) // without a content type, the body is read as JSON
	system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
}
