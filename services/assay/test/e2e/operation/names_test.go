package operation

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/textfile"
)

// TestItemsDocumentNamesEverything: docs/items.md maps the names of existing properties and all states of the areas to those of
// the view of all areas.
func TestItemsDocumentNamesEverything(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../docs/items.md")
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(documents(t)["clients"])
	if err != nil {
		t.Fatal(err)
	}
	item := document.Components.Schemas["ItemSummary"].Value.Properties
	names, schemas := table(t, string(text), "## Names\n"), []string{"FileView", "JobView", "NodeView", "ItemView"}
	for _, row := range names {
		if row[0] != "" && item[row[0]] == nil {
			t.Errorf("an item has no property %s", row[0])
		}
		for i, schema := range schemas {
			if name := row[i+1]; name != "" && document.Components.Schemas[schema].Value.Properties[name] == nil {
				t.Errorf("the schema %s has no property %s, which docs/items.md names", schema, name)
			}
		}
	}
	if len(names) < 5 {
		t.Errorf("docs/items.md maps %d names, want at least 5", len(names))
	}
	statuses := item["status"].Value.Enum
	machines := []lifecycle.Machine{textfile.Machine(), photojob.Machine(), library.Machine(), feed.Machine()}
	documented := make([][]string, len(machines))
	for _, row := range table(t, string(text), "## Status\n") {
		if !slices.Contains(statuses, any(row[0])) {
			t.Errorf("%s is not one of the statuses %v", row[0], statuses)
		}
		for i := range machines {
			for state := range strings.SplitSeq(row[i+1], ", ") {
				if state != "" && state != "with an error" {
					documented[i] = append(documented[i], state)
				}
			}
		}
	}
	for i, machine := range machines {
		for _, state := range machine.States() {
			if !slices.Contains(documented[i], string(state)) {
				t.Errorf("docs/items.md has no status for the state %s", state)
			}
		}
	}
}

// table returns the cells of the first table below a heading, without its head and without code spans.
func table(t *testing.T, text, heading string) (rows [][]string) {
	t.Helper()
	_, below, found := strings.Cut(text, heading)
	if !found {
		t.Fatalf("docs/items.md has no heading %q", heading)
	}
	for line := range strings.Lines(below) {
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		rows = append(rows, cells)
	}
	return rows[min(2, len(rows)):]
}
