package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

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

// randomIntegersKeepAllDigits: integers of up to 38 digits are those that were sent, in the responses of the API, in the
// client of the command line, in the stored submission and in the table. Live events and the CSV export have no metadata.
func randomIntegersKeepAllDigits(t *testing.T, s system.System) {
	random := rand.New(rand.NewPCG(system.LoadSeed(), 38))
	p := system.NewPosting("fine", "a")
	sent := map[string]string{}
	var metadata []string
	for i := range 50 { // the maximum number of entries
		digits := strconv.Itoa(1 + random.IntN(9))
		for range random.IntN(38) {
			digits += strconv.Itoa(random.IntN(10))
		}
		if random.IntN(2) == 0 {
			digits = "-" + digits
		}
		name := fmt.Sprintf("n%d", i)
		sent[name] = digits
		metadata = append(metadata, fmt.Sprintf("%q:%s", name, digits))
	}
	body := fmt.Sprintf(`{"sourceId":%q,"sourceType":"newsapi","text":"fine","matchedTags":["a"],"metadata":{%s}}`, p.SourceID, strings.Join(metadata, ","))
	resp, posted := s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, body)
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("the post returned %s %s, want 201", resp.Status, posted)
	}
	object, err := s.Objects().GetObject(system.Within(t), &s3.GetObjectInput{Bucket: &s.Bucket, Key: aws.String(system.TextKey(p.SourceID))})
	if err != nil {
		t.Fatal(err)
	}
	submission, err := io.ReadAll(object.Body)
	if err := errors.Join(err, object.Body.Close()); err != nil {
		t.Fatal(err)
	}
	s.Analyzed(t, p.SourceID)
	_, shown := s.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(p.SourceID), nil, "")
	read, err := s.Client(t, system.NewOwner()).FeedItem(system.Within(t), p.SourceID)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{
		"the response to the post": numbersOf(t, posted), "the stored submission": numbersOf(t, string(submission)),
		"the item": numbersOf(t, shown), "the client": read.Metadata, "the table": {},
	}
	rows, err := s.Tables().Query(system.Within(t), &dynamodb.QueryInput{
		TableName: aws.String("sentiment-items-primary"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
		ExpressionAttributeValues: system.Item{":id": &types.AttributeValueMemberS{Value: p.SourceID}},
	})
	if err != nil || len(rows.Items) != 1 {
		t.Fatalf("%d rows, %v; want 1 row", len(rows.Items), err)
	}
	stored, _ := rows.Items[0]["metadata"].(*types.AttributeValueMemberM)
	for name, value := range stored.Value {
		if n, ok := value.(*types.AttributeValueMemberN); ok {
			all["the table"][name] = n.Value
		}
	}
	for where, got := range all {
		for name, want := range sent {
			if fmt.Sprint(got[name]) != want {
				t.Errorf("%s has %s = %v, want %s", where, name, got[name], want)
			}
		}
	}
}

// numbersOf returns the metadata of an item in JSON, with numbers as they are written.
func numbersOf(t *testing.T, item string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(item))
	decoder.UseNumber()
	var found struct{ Metadata map[string]any }
	if err := decoder.Decode(&found); err != nil {
		t.Fatalf("%s: %v", item, err)
	}
	return found.Metadata
}
