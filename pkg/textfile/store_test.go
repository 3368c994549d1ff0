package textfile

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// frozen is the constant time of every store in these tests, 1795176000000 in epoch milliseconds.
var frozen = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a store on a new engine. Tests also access its items directly.
type fixture struct {
	*Store
	faults *dynamolite.Faults
	t      *testing.T
}

func open(t *testing.T) *fixture {
	t.Helper()
	db, faults := tabletest.Start(t)
	s := NewStore(db, Config{Table: "text-analyzer-history"})
	s.now = func() time.Time { return frozen }
	if err := table.EnsureAll(t.Context(), db, Tables(Config{Table: s.table})); err != nil {
		t.Fatal(err)
	}
	return &fixture{s, faults, t}
}

type row = map[string]any

// put writes an item directly.
func (d *fixture) put(r row) {
	d.t.Helper()
	item, err := attributevalue.MarshalMap(r)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.db.PutItem(d.t.Context(), &dynamodb.PutItemInput{TableName: &d.table, Item: item}); err != nil {
		d.t.Fatal(err)
	}
}

// row reads an item directly. It returns nil if there is none.
func (d *fixture) row(k table.Key) row {
	d.t.Helper()
	out, err := d.db.GetItem(d.t.Context(), &dynamodb.GetItemInput{TableName: &d.table, Key: k, ConsistentRead: aws.Bool(true)})
	if err != nil {
		d.t.Fatal(err)
	}
	if out.Item == nil {
		return nil
	}
	var r row
	if err := attributevalue.UnmarshalMap(out.Item, &r); err != nil {
		d.t.Fatal(err)
	}
	return r
}

// rows reads both items of the file f1 of ann.
func (d *fixture) rows() (meta, history row) {
	d.t.Helper()
	return d.row(metaKey("f1")), d.row(historyKey("ann", "f1"))
}

// seedItems returns the items of the file f1 of ann as in the seed, written out here instead of
// derived from the code.
func seedItems(status lifecycle.State, updatedAt float64) (meta, history row) {
	item := func(pk, sk string) row {
		r := row{
			"PK": pk, "SK": sk, "fileId": "f1", "ownerId": "ann", "s3Bucket": "assay-files", "s3Key": "files/f1/u1",
			"originalFileName": "a/b #1%.txt", "status": string(status), "createdAt": 1795175000000.0, "updatedAt": updatedAt,
		}
		if status == "FAILED" {
			r["errorMessage"] = "it is a PDF"
		}
		return r
	}
	meta, history = item("FILE#f1", "META"), item("OWNER#ann", "FILE#f1")
	if status == "COMPLETED" {
		meta["result"] = row{
			"totalWords": 1200.0, "uniqueWords": 340.0, "avgWordLength": 4.7,
			"top10Words": []any{row{"word": "the", "count": 80.0}, row{"word": "and", "count": 45.0}},
		}
	}
	return meta, history
}

var seedResult = Result{
	TotalWords: 1200, UniqueWords: 340, AvgWordLength: 4.7,
	Top10Words: []WordCount{{"the", 80}, {"and", 45}},
}

// file writes f1 in a state and reads it through the store.
func (d *fixture) file(status lifecycle.State) File {
	d.t.Helper()
	meta, history := seedItems(status, 1795175500000)
	d.put(meta)
	d.put(history)
	f, err := d.Get(d.t.Context(), "f1")
	if err != nil {
		d.t.Fatal(err)
	}
	return f
}

// expect compares both items with the expected ones, attribute by attribute.
func (d *fixture) expect(meta, history row) {
	d.t.Helper()
	gotMeta, gotHistory := d.rows()
	for _, diff := range append(compare("META", gotMeta, meta), compare("history", gotHistory, history)...) {
		d.t.Error(diff)
	}
}

func compare(item string, got, want row) (diffs []string) {
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			diffs = append(diffs, fmt.Sprintf("%s: got %s %v, want %v", item, name, got[name], value))
		}
	}
	for name, value := range got {
		if _, named := want[name]; !named {
			diffs = append(diffs, fmt.Sprintf("%s: got %s %v, want no such attribute", item, name, value))
		}
	}
	if (got == nil) != (want == nil) {
		diffs = append(diffs, fmt.Sprintf("%s: got exists = %t, want %t", item, got != nil, want != nil))
	}
	return diffs
}

// next returns the result of a move, and fails the test if there is an error.
func (d *fixture) next(f File, err error) File {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	return f
}
