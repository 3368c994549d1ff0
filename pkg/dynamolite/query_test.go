package dynamolite_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// pages reads all pages of the query and returns the items and the number of pages. The test fails if
// there are more than 1000 pages.
func (s *service) pages(in dynamodb.QueryInput) (items []object, count int) {
	s.t.Helper()
	for count < 1000 {
		out, err := s.Query(s.t.Context(), &in)
		if err != nil {
			s.t.Fatal(err)
		}
		items = append(items, out.Items...)
		count++
		if out.LastEvaluatedKey == nil {
			return items, count
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
	s.t.Fatal("got more than 1000 pages of the query, want at most 1000")
	return nil, 0
}

func TestQueryReturnsItemsInOrderOfTheSortKey(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("events", "pk:S", "sk:N")
	for _, n := range []int{10, -3, 2, 100, 0, -20} {
		s.put("events", item("pk", "a", "sk", n))
		s.put("events", item("pk", "b", "sk", n))
	}
	for _, tc := range []struct {
		condition string
		forward   bool
		want      string
	}{
		{"pk = :pk", true, "-20 -3 0 2 10 100"},
		{"pk = :pk", false, "100 10 2 0 -3 -20"},
		{"pk = :pk AND sk > :x", true, "10 100"},
		{"pk = :pk AND sk >= :x", true, "2 10 100"},
		{"pk = :pk AND sk < :x", false, "0 -3 -20"},
		{"pk = :pk AND sk <= :x", true, "-20 -3 0 2"},
		{"pk = :pk AND sk BETWEEN :low AND :x", true, "-3 0 2"},
		{"pk = :pk AND sk = :x", true, "2"},
	} {
		for _, limit := range []int32{0, 1, 2, 4} {
			in := dynamodb.QueryInput{
				TableName: aws.String("events"), KeyConditionExpression: aws.String(tc.condition), ScanIndexForward: aws.Bool(tc.forward),
				ExpressionAttributeValues: item(":pk", "a"),
			}
			if strings.Contains(tc.condition, ":x") {
				in.ExpressionAttributeValues[":x"] = value(2)
			}
			if strings.Contains(tc.condition, ":low") {
				in.ExpressionAttributeValues[":low"] = value(-3)
			}
			if limit > 0 {
				in.Limit = aws.Int32(limit)
			}
			items, _ := s.pages(in)
			if got := strings.Join(texts(items, "sk"), " "); got != tc.want {
				t.Errorf("%s, forward %t, limit %d: got %s, want %s", tc.condition, tc.forward, limit, got, tc.want)
			}
		}
	}
}

func TestFilterIsAppliedAfterTheLimit(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("events", "pk:S", "sk:N")
	for n := range 10 {
		s.put("events", item("pk", "a", "sk", n, "even", n%2 == 0))
	}
	out := must(s.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("events"), KeyConditionExpression: aws.String("pk = :pk"), FilterExpression: aws.String("even = :yes"),
		ProjectionExpression: aws.String("sk"), ExpressionAttributeValues: item(":pk", "a", ":yes", true), Limit: aws.Int32(5),
	}))(t)
	if got := texts(out.Items, "sk"); out.Count != 3 || out.ScannedCount != 5 || !slices.Equal(got, []string{"0", "2", "4"}) || len(out.Items[0]) != 1 || text(out.LastEvaluatedKey, "sk") != "4" {
		t.Errorf("got items %v of %d scanned, last key %v, want items 0, 2 and 4 with sk only, 5 scanned, last key 4", out.Items, out.ScannedCount, out.LastEvaluatedKey)
	}
	counted := must(s.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("events"), KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item(":pk", "a"), Select: types.SelectCount,
	}))(t)
	if counted.Count != 10 || counted.Items != nil {
		t.Errorf("got count %d with items %v, want count 10 without items", counted.Count, counted.Items)
	}
}

func TestPageEndsAtOneMegabyte(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("big", "pk:S", "sk:N")
	for n := range 12 {
		s.put("big", item("pk", "a", "sk", n, "x", strings.Repeat("x", 300<<10)))
	}
	items, count := s.pages(dynamodb.QueryInput{
		TableName: aws.String("big"), KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item(":pk", "a"),
	})
	if len(items) != 12 || count != 4 {
		t.Errorf("got %d items on %d pages, want 12 on 4", len(items), count)
	}
}

func TestIndexPagesContainItemsWithEqualKeysOnce(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("items", "id:S", "", withIndex("by_day", "day:S", "at:N", types.ProjectionTypeAll))
	var want []string
	for n := range 30 {
		id := fmt.Sprintf("%02d", n)
		want = append(want, id)
		s.put("items", item("id", id, "day", "monday", "at", n/15)) // two values of at, for 15 items each
	}
	for limit := int32(1); limit < 12; limit++ {
		for _, forward := range []bool{true, false} {
			items, _ := s.pages(dynamodb.QueryInput{
				TableName: aws.String("items"), IndexName: aws.String("by_day"), KeyConditionExpression: aws.String("#d = :d"),
				ExpressionAttributeNames: map[string]string{"#d": "day"}, ExpressionAttributeValues: item(":d", "monday"),
				Limit: aws.Int32(limit), ScanIndexForward: aws.Bool(forward),
			})
			got := texts(items, "id")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("limit %d, forward %t: got %v, want %v", limit, forward, got, want)
			}
		}
	}
}

func TestIndexIsUpdatedWithItsItems(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("jobs", "id:S", "",
		withIndex("all", "owner:S", "", types.ProjectionTypeAll),
		withIndex("keys", "owner:S", "", types.ProjectionTypeKeysOnly),
		withIndex("some", "owner:S", "", types.ProjectionTypeInclude, "note"))
	entries := func(index, owner string) []object {
		items, _ := s.pages(dynamodb.QueryInput{
			TableName: aws.String("jobs"), IndexName: aws.String(index), KeyConditionExpression: aws.String("#o = :o"),
			ExpressionAttributeNames: map[string]string{"#o": "owner"}, ExpressionAttributeValues: item(":o", owner),
		})
		return items
	}
	s.put("jobs", item("id", "1", "owner", "ann", "note", "n", "more", "m"))
	s.put("jobs", item("id", "2", "note", "in no index"))
	for index, width := range map[string]int{"all": 4, "keys": 2, "some": 3} {
		if got := entries(index, "ann"); len(got) != 1 || len(got[0]) != width {
			t.Errorf("%s: got %v, want one entry with %d attributes", index, got, width)
		}
	}
	s.put("jobs", item("id", "1", "owner", "bob"))
	if len(entries("all", "ann")) != 0 || len(entries("all", "bob")) != 1 {
		t.Error("the index has the old key or lacks the new one, want only the new one")
	}
	must(s.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("jobs"), Key: item("id", "1"), UpdateExpression: aws.String("REMOVE #o"), ExpressionAttributeNames: map[string]string{"#o": "owner"},
	}))(t)
	if got := entries("all", "bob"); len(got) != 0 {
		t.Errorf("an item without the index key is in the index: got %v, want none", got)
	}
	_, err := s.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("jobs"), IndexName: aws.String("keys"), KeyConditionExpression: aws.String("#o = :o"), ProjectionExpression: aws.String("more"),
		ExpressionAttributeNames: map[string]string{"#o": "owner"}, ExpressionAttributeValues: item(":o", "ann"),
	})
	wantError(t, err, "ValidationException")
}

func TestParallelScanCoversTheTableOnce(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("many", "pk:N", "")
	for n := range 200 {
		s.put("many", item("pk", n))
	}
	for _, total := range []int32{1, 2, 3, 7, 64} {
		seen := map[string]int{}
		for segment := range total {
			in := &dynamodb.ScanInput{TableName: aws.String("many"), Segment: aws.Int32(segment), TotalSegments: aws.Int32(total), Limit: aws.Int32(9)}
			pages := dynamodb.NewScanPaginator(s, in)
			for pages.HasMorePages() {
				page := must(pages.NextPage(t.Context()))(t)
				for _, pk := range texts(page.Items, "pk") {
					seen[pk]++
				}
			}
		}
		for n := range 200 {
			if seen[strconv.Itoa(n)] != 1 {
				t.Errorf("%d segments: got item %d %d times, want once", total, n, seen[strconv.Itoa(n)])
			}
		}
	}
}
