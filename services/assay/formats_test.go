package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
)

// The lines of docs/documents.md around its table of formats.
const (
	tableBegins = "<!-- Generated. After a change: go test ./services/assay -run FormatsDocument -update -->\n"
	tableEnds   = "<!-- End of the table. -->\n"
)

func TestFormatsDocument(t *testing.T) {
	const path = "../../docs/documents.md"
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(document), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", path, tableBegins, tableEnds)
	}
	var table strings.Builder
	table.WriteString("| type | formats | text | picture | metadata |\n|---|---|---|---|---|\n")
	for _, f := range extract.Formats() {
		if c := f.Contents; c.Formats != "" {
			fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", f.Type, c.Formats, c.Text, c.Picture, c.Metadata)
		}
	}
	compareDocument(t, path, before+tableBegins+table.String()+tableEnds+after)
}
