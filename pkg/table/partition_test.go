package table_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// visits creates a table of n visits to doors, by time, with an index by visitor.
func visits(t *testing.T, n int) *dynamodb.Client {
	t.Helper()
	db, _ := tabletest.Start(t)
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	keys := func(hash string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: aws.String("at"), KeyType: types.KeyTypeRange}}
	}
	err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: &dynamodb.CreateTableInput{
		TableName: aws.String("visits"), BillingMode: types.BillingModePayPerRequest, KeySchema: keys("door"),
		AttributeDefinitions: []types.AttributeDefinition{attribute("door"), attribute("at"), attribute("visitor")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-visitor"), KeySchema: keys("visitor"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("visits"), Item: table.Key{
			"door": table.Text([]string{"front", "back"}[i%2]), "at": table.Text(fmt.Sprintf("%05d", i)), "visitor": table.Text([]string{"ann", "bob", "ann"}[i%3]),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

var (
	front = table.Partition{Table: "visits", Hash: "door", Value: "front", Keys: []string{"door", "at"}}
	ofAnn = table.Partition{Table: "visits", Index: "by-visitor", Hash: "visitor", Value: "ann", Keys: []string{"door", "at", "visitor"}}
)

// read reads a list to its end and returns the times of its items, and the sizes of its pages.
func read(t *testing.T, db table.Reader, l table.Partition, limit int32) (times []string, pages []int) {
	t.Helper()
	for cursor := ""; ; {
		items, next, err := l.Page(t.Context(), db, limit, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			times = append(times, table.TextOf(item["at"]))
		}
		pages = append(pages, len(items))
		if cursor = next; cursor == "" {
			return times, pages
		}
	}
}

// TestPagesOfAList checks that pages of any size return all items once, newest first, of a table and
// of an index.
func TestPagesOfAList(t *testing.T) {
	db := visits(t, 40)
	filter := expression.Name("visitor").Equal(expression.Value("bob"))
	filtered := front
	filtered.Filter, filtered.Sparse = &filter, true
	since := expression.Key("at").GreaterThanEqual(expression.Value("00030"))
	latest := front
	latest.Range = &since
	for name, test := range map[string]struct {
		list table.Partition
		has  func(i int) bool
	}{
		"table":    {front, func(i int) bool { return i%2 == 0 }},
		"index":    {ofAnn, func(i int) bool { return i%3 != 1 }},
		"filtered": {filtered, func(i int) bool { return i%2 == 0 && i%3 == 1 }},
		"range":    {latest, func(i int) bool { return i%2 == 0 && i >= 30 }},
	} {
		var want []string
		for i := range 40 {
			if test.has(i) {
				want = append(want, fmt.Sprintf("%05d", i))
			}
		}
		slices.Reverse(want)
		for limit := int32(1); limit <= 41; limit++ {
			got, pages := read(t, db, test.list, limit)
			if !slices.Equal(got, want) || pages[0] != min(len(want), int(limit)) {
				t.Fatalf("%s in pages of %d: got %q in pages of %d, want %q", name, limit, got, pages, want)
			}
		}
	}
}

// TestSparseListIsBounded checks that a page whose filter excludes everything ends after a limited
// number of reads.
func TestSparseListIsBounded(t *testing.T) {
	db := visits(t, 2*(20*100+1))
	filter := expression.Name("visitor").Equal(expression.Value("nobody"))
	l := front
	l.Filter, l.Sparse = &filter, true
	if times, pages := read(t, db, l, 10); len(times) != 0 || len(pages) != 2 {
		t.Errorf("got %d items in pages of %d, want two empty pages", len(times), pages)
	}
}

// TestForgedCursorsAreRejected checks that a cursor whose key was changed, or that belongs to another
// list, is rejected.
func TestForgedCursorsAreRejected(t *testing.T) {
	db := visits(t, 12)
	_, next, err := front.Page(t.Context(), db, 2, "")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := base64.RawURLEncoding.DecodeString(next)
	if err != nil {
		t.Fatal(err)
	}
	back := front
	back.Value = "back"
	forged := func(old, changed string) string {
		if !strings.Contains(string(plain), old) {
			t.Fatalf("the cursor %s does not contain %s", plain, old)
		}
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(plain), old, changed, 1)))
	}
	for name, test := range map[string]struct {
		list   table.Partition
		cursor string
	}{
		"of another partition":   {back, next},
		"of the table":           {ofAnn, next},
		"not a cursor":           {front, "!!"},
		"into another partition": {front, forged(`{"S":"front"}`, `{"S":"back"}`)},
		"with another key":       {front, forged(`"at":`, `"visitor":`)},
		"without a sort key":     {front, forged(`"at":{"S":"00008"},`, ``)},
		"of a number":            {front, forged(`{"S":"front"}`, `{"N":"1"}`)},
	} {
		if items, _, err := test.list.Page(t.Context(), db, 2, test.cursor); !errors.Is(err, table.ErrCursor) {
			t.Errorf("%s: got %v, error %v, want ErrCursor", name, items, err)
		}
	}
}
