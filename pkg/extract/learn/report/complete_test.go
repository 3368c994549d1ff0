package report_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn/report"
)

// spoil replaces all numbers by one.
func spoil(v reflect.Value, by float64) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(by)
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), by)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), by)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				spoil(v.Field(i), by)
			}
		}
	}
}

func TestComplete(t *testing.T) {
	for name := range samples() {
		for _, by := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0, -1} {
			r := small()[name]
			spoil(reflect.ValueOf(&r).Elem(), by)
			check(t, page(t, r))
			if got := text(t, r); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Errorf("the text of the %s with %v: %s", name, by, got)
			}
			r.Complete()
			encoded, err := json.Marshal(r)
			if err != nil {
				t.Errorf("%s with %v: %v", name, by, err)
			}
			for _, bad := range []string{"null", "NaN", "Inf"} {
				if strings.Contains(string(encoded), bad) {
					t.Errorf("the JSON of the %s with %v has %s: %s", name, by, bad, encoded)
				}
			}
		}
	}
}

func TestCompleteShortens(t *testing.T) {
	given := regression()
	given.Target = strings.Repeat("ä", 10_000)
	given.Features.LeftOut = make([]report.ColumnLeftOut, 5_000)
	given.Features.LeftOut[0] = report.ColumnLeftOut{Name: strings.Repeat("x", 10_000), Reason: "constant"}
	given.Features.LeftOutTotal = 0
	r := given
	r.Complete()
	if want := strings.Repeat("ä", 199) + "…"; r.Target != want {
		t.Errorf("the target is %s", r.Target)
	}
	if len(r.Features.LeftOut) != 100 || r.Features.LeftOutTotal != 5_000 || len(r.Features.LeftOut[0].Name) != 199+len("…") {
		t.Errorf("%d of %d columns, %v", len(r.Features.LeftOut), r.Features.LeftOutTotal, r.Features.LeftOut[0])
	}
	if len(given.Features.LeftOut[0].Name) != 10_000 {
		t.Error("Complete changed the list of the caller")
	}
}

// No list is null, so that programs need not expect it.
func TestCompleteEmpty(t *testing.T) {
	var r report.Report
	r.Regression, r.Classification, r.Candidates = &report.RegressionQuality{}, &report.ClassificationQuality{}, make([]report.ModelCandidate, 1)
	r.Complete()
	encoded, err := json.Marshal(r)
	if err != nil || strings.Contains(string(encoded), "null") {
		t.Errorf("%s, %v", encoded, err)
	}
	check(t, page(t, r))
}
