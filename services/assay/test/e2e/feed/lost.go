package feed

import (
	"fmt"
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

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// lostTextsAreReplaced: after the text of an item is deleted from the bucket, 100 writers concurrently post the item
// again. The item keeps its time. A pending item is analyzed with the new text, even if it was given up because of the
// lost text; an analyzed item only gets the new tags.
func lostTextsAreReplaced(t *testing.T, s system.System) {
	const at = "2026-01-02T03:04:05.678Z"
	lost := func(more system.Item) system.Posting {
		p := system.NewPosting("The book was good.", "tag 0")
		s.PutPending(t, p.SourceID, at, more)
		return p
	}
	givenUp := system.Item{
		"failed_at":     &types.AttributeValueMemberS{Value: system.UTC(time.Now())},
		"error_message": &types.AttributeValueMemberS{Value: "the accepted text no longer exists"},
	}
	done := system.NewPosting("The book was good.", "tag 9")
	done.IngestedAt = at
	s.PostItem(t, done)
	s.Analyzed(t, done.SourceID)
	if _, err := s.Objects().DeleteObject(system.Within(t), &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: aws.String(system.TextKey(done.SourceID))}); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]system.Posting{"pending": lost(nil), "given up": lost(givenUp), "analyzed": done} {
		t.Run(name, func(t *testing.T) {
			var writers sync.WaitGroup
			for i := range 100 {
				mine := p
				mine.IngestedAt, mine.MatchedTags = "", []string{"tag " + strconv.Itoa(i%4)}
				mine.SourceURL, mine.Metadata = "https://example.com/"+strconv.Itoa(i), map[string]any{"writer": float64(i)}
				writers.Go(func() {
					if status, got := s.PostItem(t, mine); status != http.StatusOK || got.IngestedAt != at {
						t.Errorf("post: %d %+v, want 200 and an item with the time %s", status, got, at)
					}
				})
			}
			writers.Wait()
			got := s.Analyzed(t, p.SourceID)
			if got.IngestedAt != at || got.Compound != 0.4404 || got.TextSnippet != p.Text || got.ErrorMessage != "" ||
				!slices.Equal(got.MatchedTags, []string{"tag 0", "tag 1", "tag 2", "tag 3", "tag 9"}) {
				t.Errorf("the item is %+v, want the original time, the new text and all tags", got)
			}
			if writer, ok := got.Metadata["writer"].(float64); name == "analyzed" && (got.SourceURL != "" || len(submitted(got)) > 0) ||
				name != "analyzed" && (!ok || len(submitted(got)) != 1 || got.SourceURL != fmt.Sprintf("https://example.com/%g", writer)) {
				t.Errorf("the item is %+v, want the URL and metadata of one post, or none if it was analyzed before", got)
			}
			rows, err := s.Tables().Query(system.Within(t), &dynamodb.QueryInput{
				TableName: aws.String("sentiment-items-primary"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
				ExpressionAttributeValues: system.Item{":id": &types.AttributeValueMemberS{Value: p.SourceID}},
			})
			if err != nil || len(rows.Items) != 1 {
				t.Errorf("%d rows, %v; want 1 row", len(rows.Items), err)
			}
			outcomes := slices.DeleteFunc(s.FeedOutcomes(t, p.SourceID), func(id string) bool { return !strings.HasPrefix(id, "analysis.completed/") })
			if len(outcomes) != 1 {
				t.Errorf("outcomes %v, want one", outcomes)
			}
			if _, err := s.Objects().HeadObject(system.Within(t), &s3.HeadObjectInput{Bucket: &s.Bucket, Key: aws.String(system.TextKey(p.SourceID))}); err != nil {
				t.Errorf("HEAD of the text returned %v, want nil", err)
			}
		})
	}
}
