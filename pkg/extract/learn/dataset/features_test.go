package dataset

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
)

// TestFeaturesOfAnotherFile checks that features are read in the notation of another file, and are the same after encoding.
func TestFeaturesOfAnotherFile(t *testing.T) {
	set, err := measured(100).build(t, "log", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	other := rows(3, func(i int) []records.Field {
		return []records.Field{{Name: "X", Value: fmt.Sprintf("%d,25", i)}, {Name: "rings", Value: "2"}}
	})
	f, lacking := set.Features.For(other.columns())
	if !slices.Equal(lacking, []string{"active"}) {
		t.Errorf("got %q lacking, want active", lacking)
	}
	row, missing := f.Row(nil, &other.records[2], nil)
	if !slices.Equal(row[:2], []float64{2.25, 2}) || missing != 1 {
		t.Errorf("got %v, %d missing, want 2.25, 2 and a median, 1", row, missing)
	}
	if row, _ := f.Plain().Row(nil, &records.Record{Fields: records.Fields{{Name: "X", Value: "1.125"}}}, nil); row[0] != 1.125 {
		t.Errorf("a number with a decimal point: got %g, want 1.125", row[0])
	}
	var text bytes.Buffer
	var decoded, parsed Features
	if err := errors.Join(gob.NewEncoder(&text).Encode(set.Features), gob.NewDecoder(&text).Decode(&decoded)); err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(set.Features)
	if err := errors.Join(err, json.Unmarshal(document, &parsed)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(decoded, set.Features) || !reflect.DeepEqual(parsed, set.Features) {
		t.Errorf("got %+v and %+v, want %+v", decoded, parsed, set.Features)
	}
}
