package sweep_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// TestReportsAreBounded checks that the findings of concurrent runs are all stored, up to the limit, newest
// first, with short texts.
func TestReportsAreBounded(t *testing.T) {
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	reports := sweep.NewReports(platform.NewStore(db, cfg))
	var adding sync.WaitGroup
	for range 4 {
		adding.Go(func() {
			if err := reports.Add(t.Context(), "textfile", sweep.Run{Found: 2}, []sweep.Finding{{ID: "a"}, {ID: "b"}}); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	areas, err := reports.List(t.Context())
	if err != nil || len(areas) != 1 || len(areas[0].Findings) != 8 || areas[0].Findings[0].ID != "b" || areas[0].Findings[1].ID != "a" {
		t.Fatalf("got %+v, error %v, want one area with 8 findings, the newest first", areas, err)
	}

	var many []sweep.Finding
	for n := range sweep.MaxFindings + 5 {
		many = append(many, sweep.Finding{ID: strconv.Itoa(n), Error: strings.Repeat("x", 10_000)})
	}
	at := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	if err := reports.Add(t.Context(), "textfile", sweep.Run{At: at, Found: len(many)}, many); err != nil {
		t.Fatal(err)
	}
	areas, err = reports.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newest := areas[0].Findings
	if len(newest) != sweep.MaxFindings || newest[0].ID != strconv.Itoa(len(many)-1) || newest[len(newest)-1].ID != "5" || len(newest[0].Error) > 1000 {
		t.Errorf("got %d findings from %.60v to %.60v, want %d from %d to 5 with short errors", len(newest), newest[0], newest[len(newest)-1], sweep.MaxFindings, len(many)-1)
	}
	if !areas[0].Last.At.Equal(at) || areas[0].Last.Found != len(many) {
		t.Errorf("got last run %+v, want one at %s with %d findings", areas[0].Last, at, len(many))
	}
}
