package capacity

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

var update = flag.Bool("update", false, "write the tables of docs/capacity.md")

const document = "../../../../docs/capacity.md"

// TestDocument checks that the tables of requests, prices and limits in docs/capacity.md are those of this package.
func TestDocument(t *testing.T) {
	for name, table := range map[string]string{"requests": RequestTable(), "prices": PriceTable(), "limits": LimitTable()} {
		if *update {
			if err := paired.WriteInto(document, name, table); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "<!-- begin "+name+" -->\n\n"+strings.TrimSpace(table)+"\n\n<!-- end "+name+" -->") {
			t.Errorf("the table %s is out of date: go test ./services/assay/test/capacity -update", name)
		}
	}
}

// TestCostOfATextFile: a text file costs what its requests cost according to the price list: 14 write units, a PUT and a
// GET.
func TestCostOfATextFile(t *testing.T) {
	for _, i := range Items {
		if i.Name != TextForm {
			continue
		}
		tables, objects := Prices().Requests(i)
		if got, want := tables+objects, 14*0.625+5+0.4; got != want {
			t.Errorf("a million text files cost %g, want %g", got, want)
		}
	}
}

// TestUnits: the capacity of a response is the sum over the tables of a transaction, and 0 for an error.
func TestUnits(t *testing.T) {
	for response, want := range map[string]float64{
		`{"ConsumedCapacity":{"TableName":"a","CapacityUnits":1.5}}`:                                                    1.5,
		`{"ConsumedCapacity":[{"TableName":"a","CapacityUnits":4},{"TableName":"b","CapacityUnits":2}],"Responses":[]}`: 6,
		`{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}`:                                 0,
	} {
		if got, err := Units([]byte(response)); err != nil || got != want {
			t.Errorf("Units(%s) = %g, %v; want %g", response, got, err, want)
		}
	}
	if _, err := Units([]byte("no JSON")); err == nil {
		t.Error("Units of a response that is not JSON returned no error")
	}
}
