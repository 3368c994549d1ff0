package alerting

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// selector matches a metric and the labels that it is selected by.
var (
	selector = regexp.MustCompile(`\b((?:assay|go|process)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*"`)
)

// expressions returns all queries of the rules and dashboards, by the place where they are.
func expressions(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, r := range rules(t) {
		all["the alert "+r.Alert] = []string{r.Expr}
	}
	files, err := filepath.Glob(system.Repository(t, "deploy/observability/grafana/dashboards/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d dashboards, error %v, want some", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
			Templating struct {
				List []struct{ Type, Query string }
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, v := range d.Templating.List {
			if v.Type == "query" {
				all[filepath.Base(file)] = append(all[filepath.Base(file)], v.Query)
			}
		}
		for _, p := range d.Panels {
			at := filepath.Base(file) + ": " + p.Title
			for _, q := range p.Targets {
				all[at] = append(all[at], q.Expr)
			}
		}
	}
	return all
}

// checkNames checks that every metric in the rules and dashboards is exported by one of the programs, with the labels by
// which it is selected.
func checkNames(t *testing.T, recordings ...*recording) {
	t.Helper()
	labels := map[string]map[string]bool{} // by name of the metric
	for _, r := range recordings {
		for _, s := range r.all() {
			name, own, _ := strings.Cut(s, "{")
			if labels[name] == nil {
				labels[name] = map[string]bool{}
			}
			for _, m := range matcher.FindAllStringSubmatch(own, -1) {
				labels[name][m[1]] = true
			}
		}
	}
	checked := 0
	for at, queries := range expressions(t) {
		for _, q := range queries {
			for _, found := range selector.FindAllStringSubmatch(q, -1) {
				name := found[1]
				if labels[name] == nil {
					t.Errorf("%s: no program exports %s", at, name)
					continue
				}
				for _, m := range matcher.FindAllStringSubmatch(found[2], -1) {
					if !labels[name][m[1]] {
						t.Errorf("%s: %s has no label %s, which selects it", at, name, m[1])
					}
				}
				checked++
			}
		}
	}
	if checked < 50 {
		t.Errorf("checked %d names, want those of all queries", checked)
	}
}
