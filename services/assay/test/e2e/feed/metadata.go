package feed

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// metadataKeepAllDigits: the numbers of an item's metadata keep all digits that DynamoDB stores, in every response, in the stored
// submission and in the table. Other numbers are rejected.
func metadataKeepAllDigits(t *testing.T, s system.System) {
	for number, stored := range map[string]string{
		"1234567890123456789": "", "9007199254740993": "", "10000000000000000000000000000000000001": "",
		"-9.9999999999999999999999999999999999999e+125": "-" + strings.Repeat("9", 38) + strings.Repeat("0", 88), "0.10000000000000000001": "",
		"1e-130": "0." + strings.Repeat("0", 129) + "1", "0.1": "", "5": "",
	} {
		if stored == "" {
			stored = number
		}
		p := system.NewPosting("fine", "a")
		post := func() *http.Response {
			body := fmt.Sprintf(`{"sourceId":%q,"sourceType":"newsapi","text":"fine","matchedTags":["a"],"metadata":{"id":%s}}`, p.SourceID, number)
			resp, got := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, body)
			if !strings.Contains(string(got), `"id":`+number) {
				t.Errorf("the post of %s returned %s %s", number, resp.Status, got)
			}
			return resp
		}
		if resp := post(); resp.StatusCode != http.StatusCreated {
			t.Errorf("the post of %s returned %s, want 201", number, resp.Status)
		}
		s.Analyzed(t, p.SourceID)
		if resp := post(); resp.StatusCode != http.StatusOK {
			t.Errorf("the second post of %s returned %s, want 200", number, resp.Status)
		}
		if _, got := s.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(p.SourceID), nil, ""); !strings.Contains(string(got), `"id":`+number) {
			t.Errorf("the item with %s is %s", number, got)
		}
		rows, err := s.Tables().Query(system.Within(t), &dynamodb.QueryInput{
			TableName: aws.String("sentiment-items-primary"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
			ExpressionAttributeValues: system.Item{":id": &types.AttributeValueMemberS{Value: p.SourceID}},
		})
		if err != nil || len(rows.Items) != 1 {
			t.Fatalf("%d rows, %v; want 1 row", len(rows.Items), err)
		}
		metadata, _ := rows.Items[0]["metadata"].(*types.AttributeValueMemberM)
		if got, ok := metadata.Value["id"].(*types.AttributeValueMemberN); !ok || got.Value != stored {
			t.Errorf("the table has %+v, want the number %s", metadata.Value["id"], stored)
		}
	}
	for _, number := range []string{"100000000000000000000000000000000000001", strings.Repeat("7", 50), "1e126", "-1e400", "9.9e-131", "1e-400"} {
		body := fmt.Sprintf(`{"sourceId":%q,"sourceType":"newsapi","text":"fine","matchedTags":["a"],"metadata":{"id":%s}}`, system.NewPosting("", "a").SourceID, number)
		resp, got := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, body)
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(got), "body.metadata") {
			t.Errorf("the post of %s returned %s %s, want 422 for body.metadata", number, resp.Status, got)
		}
	}
}
