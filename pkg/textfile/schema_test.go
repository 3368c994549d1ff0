package textfile

import (
	"math"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/assay-project/assay/pkg/table"
)

// The attributes that are written explicitly match the struct tags, which define how
// they are read.
func TestAttributesMatchStructTags(t *testing.T) {
	bare := Result{Top10Words: []WordCount{}}
	for name, f := range map[string]File{
		"empty":    {},
		"no words": {FileID: "f1", OwnerID: "ann", Status: Completed, Result: &bare},
		"all": {
			FileID: "f1", OwnerID: "ann", S3Bucket: "b", S3Key: "files/f1/u1", FileName: "a \x00\u00e9.txt", Status: Failed,
			CreatedAt: math.MaxInt64, UpdatedAt: -1, ErrorMessage: "it is a PDF", Result: &Result{
				TotalWords: 3, UniqueWords: 2, AvgWordLength: 4.33, Top10Words: []WordCount{{"the", 2}, {"", math.MaxInt64}},
			},
		},
		"fractions": {Result: &Result{AvgWordLength: 1e21, Top10Words: []WordCount{{"a", 1}}}},
	} {
		want, err := attributevalue.MarshalMap(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.attributes(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, plain(t, got), plain(t, want))
		}
	}
}

func plain(t *testing.T, attributes map[string]table.Value) row {
	t.Helper()
	var r row
	if err := attributevalue.UnmarshalMap(attributes, &r); err != nil {
		t.Fatal(err)
	}
	return r
}
