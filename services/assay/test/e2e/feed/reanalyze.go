package feed

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// outdatedItemsAreAnalyzedAgain: an operator requests a new analysis of items that an older model analyzed. The command
// and ingest are killed before the request completes, and the command is repeated. Items and totals show the old results
// until an analyzer runs, and then the new ones.
func outdatedItemsAreAnalyzedAgain(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	analyzer := c.Service(t, "analyzer")
	c.Front(t, ingest, query)
	const good, bad = 30, 10
	tag := system.NewTag()
	sentiments := map[string]string{} // by source id
	var postings []system.Posting
	for i := range good + bad {
		p := system.NewPosting("The book was good.", tag)
		sentiments[p.SourceID] = "positive"
		if i >= good {
			p.Text, sentiments[p.SourceID] = "Today SUX!", "negative"
		}
		postings = append(postings, p)
	}
	c.PostItems(t, postings)
	for id := range sentiments {
		c.Analyzed(t, id)
	}
	analyzer.Kill(t)
	for id, sentiment := range sentiments {
		invert(t, c.System, id, sentiment)
	}
	inverted := map[string]int{"positive": bad, "neutral": 0, "negative": good}
	awaitSentiments(t, c.System, tag, inverted)

	reanalyze := func(more ...string) *system.Program {
		args := append([]string{"feed", "reanalyze", "--since", "1h", "--json"}, more...)
		return system.Launch(t, "assay", c.Environment("operator", "ASSAY_OPERATOR="+ingest.Operator), args...)
	}
	finished := func(p *system.Program, want string) {
		t.Helper()
		if status := p.End(t); status != 0 || !strings.Contains(p.Output.String(), want) {
			t.Errorf("exit status %d: %s, want 0 and %s", status, p.Output, want)
		}
	}
	finished(reanalyze("--dry-run"), fmt.Sprintf(`"modelVersion":"v1.3.0","outdated":[{"modelVersion":"v1.0.0","items":%d}],"current":0,"waiting":0`, good+bad))
	cut := reanalyze()
	system.Eventually(t, func() error {
		if n := waiting(t, c.System); n == 0 {
			return errors.New("no item is pending")
		}
		return nil
	})
	ingest.Kill(t)
	cut.Kill(t)
	t.Logf("killed when %d of %d items were pending", waiting(t, c.System), good+bad)
	ingest = c.Service(t, "ingest")
	c.Front(t, ingest, query)
	finished(reanalyze(), `"modelVersion":"v1.3.0"`)
	if n := waiting(t, c.System); n != good+bad {
		t.Errorf("%d items are pending, want %d", n, good+bad)
	}
	awaitSentiments(t, c.System, tag, inverted)

	c.Service(t, "analyzer")
	for id, sentiment := range sentiments {
		if got := c.Analyzed(t, id); got.Sentiment != sentiment || got.ModelVersion != "v1.3.0" {
			t.Errorf("%s is %+v, want %s by model v1.3.0", id, got, sentiment)
		}
	}
	awaitSentiments(t, c.System, tag, map[string]int{"positive": good, "neutral": 0, "negative": bad})
	for sentiment, want := range map[string]int{"positive": good, "negative": bad} {
		items, err := c.FeedList(system.Within(t), url.Values{"tag": {tag}, "sentiment": {sentiment}})
		if err != nil || len(items) != want {
			t.Errorf("%d items are %s, %v; want %d", len(items), sentiment, err, want)
		}
	}
	if outcomes := c.FeedOutcomes(t, postings[0].SourceID); len(outcomes) != 2 {
		t.Errorf("outcomes %v, want one for each analysis", outcomes)
	}
	finished(reanalyze(), fmt.Sprintf(`"outdated":null,"current":%d,"waiting":0`, good+bad))
}

// invert replaces the result of an item with the opposite result of an older model. The time of the analysis is later,
// because an earlier analysis would not be projected.
func invert(t *testing.T, s system.System, id, sentiment string) {
	t.Helper()
	opposite, compound := "positive", "0.5"
	if sentiment == "positive" {
		opposite, compound = "negative", "-0.5"
	}
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	_, err := s.Tables().UpdateItem(system.Within(t), &dynamodb.UpdateItemInput{
		TableName: aws.String("sentiment-items-primary"),
		Key:       system.Item{"source_id": text(id), "ingested_at": text(s.Analyzed(t, id).IngestedAt)},

		UpdateExpression: aws.String("SET sentiment = :s, compound = :c, model_version = :m, analyzed_at = :a"),
		ExpressionAttributeValues: system.Item{
			":s": text(opposite), ":c": &types.AttributeValueMemberN{Value: compound}, ":m": text("v1.0.0"), ":a": text(system.UTC(time.Now())),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// waiting returns the number of pending items.
func waiting(t *testing.T, s system.System) int {
	t.Helper()
	out, err := s.Tables().Scan(system.Within(t), &dynamodb.ScanInput{
		TableName: aws.String("sentiment-items-primary"), ConsistentRead: aws.Bool(true), FilterExpression: aws.String("#s = :pending"),
		ExpressionAttributeNames:  map[string]string{"#s": "status"},
		ExpressionAttributeValues: system.Item{":pending": &types.AttributeValueMemberS{Value: "pending"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return int(out.Count)
}

// awaitSentiments waits until the summary of a tag has these totals.
func awaitSentiments(t *testing.T, s system.System, tag string, want map[string]int) {
	t.Helper()
	system.Eventually(t, func() error {
		var got struct{ Sentiment map[string]int }
		err := s.GetJSON(system.Within(t), "/v1/feed/summary?hours=1&tag="+url.QueryEscape(tag), &got)
		if err == nil && !maps.Equal(got.Sentiment, want) {
			err = fmt.Errorf("the totals of %s are %v, want %v", tag, got.Sentiment, want)
		}
		return err
	})
}
