package dynamolite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func puts(items ...object) []types.WriteRequest {
	var out []types.WriteRequest
	for _, it := range items {
		out = append(out, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
	}
	return out
}

func TestBatchWritesAndReadsSeveralTables(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:N", "")
	s.table("right", "pk:S", "")
	s.put("right", item("pk", "old"))
	out := must(s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		"left":  puts(item("pk", 1), item("pk", 2)),
		"right": {{DeleteRequest: &types.DeleteRequest{Key: item("pk", "old")}}, {PutRequest: &types.PutRequest{Item: item("pk", "new", "n", 1)}}},
	}}))(t)
	if len(out.UnprocessedItems) != 0 {
		t.Errorf("got unprocessed items %v, want none", out.UnprocessedItems)
	}
	got := must(s.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"left":  {Keys: []object{item("pk", 1), item("pk", 2), item("pk", 3)}},
		"right": {Keys: []object{item("pk", "old"), item("pk", "new")}, ProjectionExpression: aws.String("n")},
	}}))(t)
	left := texts(got.Responses["left"], "pk")
	slices.Sort(left)
	if !slices.Equal(left, []string{"1", "2"}) || len(got.Responses["right"]) != 1 || text(got.Responses["right"][0], "n") != "1" || len(got.UnprocessedKeys) != 0 {
		t.Errorf("got responses %v and unprocessed keys %v, want items 1 and 2 of left, n = 1 of right, and no unprocessed keys", got.Responses, got.UnprocessedKeys)
	}
	_, err := s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"left": puts(item("pk", 1), item("pk", 1))}})
	wantError(t, err, "ValidationException")
	_, err = s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"left": puts(slices.Repeat([]object{item("pk", 1)}, 26)...)}})
	wantError(t, err, "ValidationException")
}

func TestLargeBatchGetLeavesKeysUnprocessed(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("big", "pk:N", "")
	request := types.KeysAndAttributes{}
	for n := range 50 {
		s.put("big", item("pk", n, "x", strings.Repeat("x", 390<<10))) // 19 MB in total
		request.Keys = append(request.Keys, item("pk", n))
	}
	seen := map[string]bool{}
	rounds := 0
	for ; len(request.Keys) > 0; rounds++ {
		out := must(s.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"big": request}}))(t)
		for _, pk := range texts(out.Responses["big"], "pk") {
			seen[pk] = true
		}
		request = out.UnprocessedKeys["big"]
	}
	if len(seen) != 50 || rounds != 2 {
		t.Errorf("got %d items in %d rounds, want 50 in 2", len(seen), rounds)
	}
}
