package dashboards

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the dashboards")

const folder = "../../../../deploy/observability/grafana/dashboards"

// TestFilesAreGenerated compares the files with the descriptions.
func TestFilesAreGenerated(t *testing.T) {
	want := map[string]bool{}
	for _, d := range All() {
		text, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, d.UID+".json")
		want[path] = true
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is out of date (%v): go test ./services/assay/test/dashboards -update", path, err)
		}
	}
	there, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if !want[path] {
			t.Errorf("%s has no description", path)
		}
	}
}

// TestPanelsDoNotOverlap checks the structure of the JSON: ids are unique, every panel has a place in the grid that no
// other panel uses, a title, a unit, and queries with a data source and a legend or, for numbers, one value.
func TestPanelsDoNotOverlap(t *testing.T) {
	type place struct{ x, y int }
	for _, d := range All() {
		text, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			UID, Title string
			Panels     []struct {
				ID          int
				Type, Title string
				GridPos     struct{ X, Y, W, H int }
				FieldConfig struct{ Defaults struct{ Unit string } }
				Targets     []struct {
					Expr, LegendFormat string
					Datasource         struct{ UID string }
				}
			}
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", d.UID, err)
		}
		if got.UID != "assay-"+d.UID || got.Title == "" || len(got.Panels) == 0 {
			t.Errorf("%s: got uid %q, title %q and %d panels, want all of them", d.UID, got.UID, got.Title, len(got.Panels))
		}
		ids, used := map[int]bool{}, map[place]string{}
		for _, p := range got.Panels {
			if ids[p.ID] || p.Title == "" {
				t.Errorf("%s: panel %d %q: want a unique id and a title", d.UID, p.ID, p.Title)
			}
			ids[p.ID] = true
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if other := used[place{x, y}]; other != "" || x >= columns {
						t.Fatalf("%s: %q is at column %d, row %d, where %q is", d.UID, p.Title, x, y, other)
					}
					used[place{x, y}] = p.Title
				}
			}
			if p.Type == "row" {
				continue
			}
			if p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 || p.Type == "stat" && len(p.Targets) != 1 {
				t.Errorf("%s: %q has unit %q and %d queries, want a unit, and one query of a number", d.UID, p.Title, p.FieldConfig.Defaults.Unit, len(p.Targets))
			}
			for _, q := range p.Targets {
				if q.Expr == "" || q.Datasource.UID != "${datasource}" || (q.LegendFormat == "") != (p.Type == "stat") {
					t.Errorf("%s: %q has the query %+v, want an expression, the data source variable and, in a graph, a legend", d.UID, p.Title, q)
				}
			}
		}
	}
}
