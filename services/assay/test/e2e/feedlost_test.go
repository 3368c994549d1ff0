package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// putPending writes a pending item without a text, with additional attributes.
func (s system) putPending(t *testing.T, sourceID, at string, more item) {
	t.Helper()
	row := item{
		"source_id": &types.AttributeValueMemberS{Value: sourceID}, "ingested_at": &types.AttributeValueMemberS{Value: at},
		"source_type": &types.AttributeValueMemberS{Value: "newsapi"}, "status": &types.AttributeValueMemberS{Value: "pending"},
		"text_snippet": &types.AttributeValueMemberS{Value: "What is lost."}, "source_url": &types.AttributeValueMemberS{Value: "https://example.com/lost"},
		"metadata":     &types.AttributeValueMemberM{Value: item{"lost": &types.AttributeValueMemberBOOL{Value: true}}},
		"matched_tags": &types.AttributeValueMemberSS{Value: []string{"tag 9"}},
	}
	maps.Copy(row, more)
	if _, err := s.tables().PutItem(within(t), &dynamodb.PutItemInput{TableName: aws.String("sentiment-items-primary"), Item: row}); err != nil {
		t.Fatal(err)
	}
}

// lostTextsAreReplaced: the text of an item is deleted from the bucket, and 100 writers
// post the item again concurrently. The item keeps its time: a pending
// one is analyzed with the new text, also if it was given up because of the lost text,
// and an analyzed one does not change.
func lostTextsAreReplaced(t *testing.T, s system) {
	const at = "2026-01-02T03:04:05.678Z"
	lost := func(more item) posting {
		p := newPosting("The book was good.", "tag 0")
		s.putPending(t, p.SourceID, at, more)
		return p
	}
	givenUp := item{
		"failed_at":     &types.AttributeValueMemberS{Value: utc(time.Now())},
		"error_message": &types.AttributeValueMemberS{Value: "the accepted text no longer exists"},
	}
	done := newPosting("The book was good.", "tag 9")
	done.IngestedAt = at
	s.postItem(t, done)
	s.analyzed(t, done.SourceID)
	if _, err := s.objects().DeleteObject(within(t), &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: aws.String(textKey(done.SourceID))}); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]posting{"pending": lost(nil), "given up": lost(givenUp), "analyzed": done} {
		t.Run(name, func(t *testing.T) {
			var writers sync.WaitGroup
			for i := range 100 {
				mine := p
				mine.IngestedAt, mine.MatchedTags = "", []string{"tag " + strconv.Itoa(i%4)}
				mine.SourceURL, mine.Metadata = "https://example.com/"+strconv.Itoa(i), map[string]any{"writer": float64(i)}
				writers.Go(func() {
					if status, got := s.postItem(t, mine); status != http.StatusOK || got.IngestedAt != at {
						t.Errorf("%d %+v", status, got)
					}
				})
			}
			writers.Wait()
			got := s.analyzed(t, p.SourceID)
			if got.IngestedAt != at || got.Compound != 0.4404 || got.TextSnippet != p.Text || got.ErrorMessage != "" ||
				!slices.Equal(got.MatchedTags, []string{"tag 0", "tag 1", "tag 2", "tag 3", "tag 9"}) {
				t.Errorf("got %+v", got)
			}
			if writer, ok := got.Metadata["writer"].(float64); name == "analyzed" && (got.SourceURL != "" || got.Metadata != nil) ||
				name != "analyzed" && (!ok || len(got.Metadata) != 1 || got.SourceURL != fmt.Sprintf("https://example.com/%g", writer)) {
				t.Errorf("it is mixed of two: %+v", got)
			}
			rows, err := s.tables().Query(within(t), &dynamodb.QueryInput{
				TableName: aws.String("sentiment-items-primary"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
				ExpressionAttributeValues: item{":id": &types.AttributeValueMemberS{Value: p.SourceID}},
			})
			if err != nil || len(rows.Items) != 1 {
				t.Errorf("%d rows, %v", len(rows.Items), err)
			}
			outcomes := slices.DeleteFunc(s.feedOutcomes(t, p.SourceID), func(id string) bool { return !strings.HasPrefix(id, "analysis.completed/") })
			if len(outcomes) != 1 {
				t.Errorf("outcomes %v, want one", outcomes)
			}
			if _, err := s.objects().HeadObject(within(t), &s3.HeadObjectInput{Bucket: &s.Bucket, Key: aws.String(textKey(p.SourceID))}); err != nil {
				t.Errorf("its text: %v", err)
			}
		})
	}
}
