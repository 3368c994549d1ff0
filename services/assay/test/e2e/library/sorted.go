package library

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// readings returns a table of n rows with a number, the plates p1 to p3 in turn, and values from 0 to 96 or none.
func readings(n int) string {
	var b strings.Builder
	b.WriteString("n,plate,value\n")
	for i := range n {
		value := fmt.Sprint(i * 31 % 97)
		if i%10 == 9 {
			value = ""
		}
		fmt.Fprintf(&b, "%d,p%d,%s\n", i, i%3+1, value)
	}
	return b.String()
}

// recordsAreSorted: a page states how many records match; records are sorted by any fields, over all pages, and each record has
// the same number wherever it is read.
func recordsAreSorted(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n := file(t, c, "plates.csv", "", readings(12_000))
	status, p, body := page(t, s, n, "filter=value%3E=90&limit=1")
	if status != http.StatusOK || p.Total != 12_000 || p.Matched == nil || *p.Matched != 779 || p.NextCursor == "" {
		t.Errorf("got %d %s, want 779 matching records of 12000", status, body)
	}
	if _, p, body := page(t, s, n, "limit=1"); p.Matched == nil || *p.Matched != 12_000 {
		t.Errorf("without a filter: %s, want 12000 matching records", body)
	}
	var got, want []int
	for r, err := range c.Records(system.Within(t), n.ID, client.RecordQuery{Filter: "plate=p2 and n<500", Sort: "-value,n", Limit: 50}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Number != r.Index+1 {
			t.Fatalf("got %+v, want the number %d", r, r.Index+1)
		}
		got = append(got, r.Index)
	}
	for i := 1; i < 500; i += 3 {
		want = append(want, i)
	}
	rank := func(i int) int {
		if i%10 == 9 {
			return -1 // last
		}
		return i * 31 % 97
	}
	slices.SortStableFunc(want, func(a, b int) int { return rank(b) - rank(a) })
	if !slices.Equal(got, want) {
		t.Errorf("sorted by -value,n: %v, want %v", got, want)
	}
	_, p, _ = page(t, s, n, "sort=value&limit=1")
	for query, want := range map[string]string{
		"sort=vallue":                        `did you mean \"value\"?`,
		"sort=n,n,n,n,n,n":                   "more than 5 fields",
		"sort=value&from=5":                  "cannot be combined with sort",
		"sort=-value&cursor=" + p.NextCursor: "is not a cursor of this list",
		"cursor=" + p.NextCursor:             "is not a cursor of this list",
		"sort=value&cursor=" + p.NextCursor:  "",
	} {
		status, _, body := page(t, s, n, query)
		if want == "" && status != http.StatusOK || want != "" && (status != http.StatusUnprocessableEntity || !strings.Contains(body, want)) {
			t.Errorf("%s: %d %s, want 422 with %q, or 200 if it is empty", query, status, body, want)
		}
	}
}

// recordsAreSummarized: the fields of a file are described for all records, for those that a filter selects, and for groups of
// them.
func recordsAreSummarized(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n := file(t, c, "plates.csv", "", readings(12_000))
	all, err := c.SummarizeRecords(system.Within(t), n.ID, client.SummaryQuery{})
	if err != nil || all.Records != 12_000 || len(all.Fields) != 3 {
		t.Fatalf("got %+v, %v, want the 3 fields of 12000 records", all, err)
	}
	if f := all.Fields[1]; f.Name != "plate" || f.Distinct != 3 || !slices.Equal(f.Values, []client.FieldFrequency{{Value: "p1", Count: 4000}, {Value: "p2", Count: 4000}, {Value: "p3", Count: 4000}}) {
		t.Errorf("got %+v, want three plates with 4000 records each", f)
	}
	if f := all.Fields[2]; f.Count != 10_800 || f.Missing != 1_200 || string(f.Max) != "96" || f.Histogram == nil || len(f.Histogram.Counts) != 45 {
		t.Errorf("got %+v, want 10800 values up to 96 and a histogram", f)
	}
	some, err := c.SummarizeRecords(system.Within(t), n.ID, client.SummaryQuery{Filter: "n<6", Fields: "value", Group: "plate"})
	if err != nil || some.Records != 6 || len(some.Fields) != 1 || *some.Fields[0].Mean != (0+31+62+93+27+58)/6.0 || len(some.Groups) != 3 {
		t.Fatalf("got %+v, %v, want three groups of 6 records", some, err)
	}
	if g := some.Groups[1]; g.Value != "p2" || g.Records != 2 || string(g.Fields[0].Min) != "27" || string(g.Fields[0].Max) != "31" || *g.Fields[0].Mean != 29 {
		t.Errorf("got %+v, want the values 31 and 27 of p2", g)
	}
	for query, want := range map[string]string{"group=plat": `did you mean \"plate\"?`, "fields=x": "there is no field", "filter=x": "there is no field"} {
		if resp, body := request(t, s, http.MethodGet, "/v1/library/files/"+n.ID+"/records/summary?"+query, n.OwnedBy, ""); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want 422 with %q", query, resp.StatusCode, body, want)
		}
	}
}
