package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/gateway"
	"github.com/assay-project/assay/services/assay/rebuild"
	"github.com/assay-project/assay/services/assay/serve"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

var update = flag.Bool("update", false, "write the generated documents")

// programs lists whatever reads variables, in the order of the document.
func programs() []program {
	return []program{
		{"ingest", "", config.Variables[ingest.Config]()},
		{"analyzer", "`assay sweep` reads the same.", config.Variables[analyzer.Config]()},
		{"query", "", config.Variables[query.Config]()},
		{"assay serve", "Each of its services reads its own too, but for the addresses and keys of the engines.", config.Variables[serve.Config]()},
		{"assay gateway", "It has no engines, and no keys.", config.Variables[gateway.Config]()},
		{"assay setup", "", config.Variables[setup.Config]()},
		{"assay feed rebuild", "", config.Variables[rebuild.Config]()},
	}
}

type program struct {
	name, note string
	variables  []config.Variable
}

func TestSettingsDocumentIsWhatTheProgramsRead(t *testing.T) {
	var want strings.Builder
	want.WriteString("# Settings\n\n" +
		"Every variable that each program reads, from the structs that read them. One that is empty counts as not set.\n" +
		"All that serve also heed Go's own GOGC, and GOMEMLIMIT; where they are not set, the collector runs when the heap has grown to 80 MiB (`assay serve`: 192) plus twice what is alive, and more often from nine tenths of the container's memory on.\n" +
		"After a change: `go test ./services/assay -run SettingsDocument -update`.\n")
	for _, p := range programs() {
		fmt.Fprintf(&want, "\n## %s\n\n", p.name)
		if p.note != "" {
			fmt.Fprintf(&want, "%s\n\n", p.note)
		}
		want.WriteString("| variable | default | gives |\n|---|---|---|\n")
		for _, v := range p.variables {
			if v.Doc == "" {
				t.Errorf("%s: %s has no doc tag", p.name, v.Name)
			}
			fmt.Fprintf(&want, "| `%s` | %s | %s |\n", v.Name, standard(v), strings.ReplaceAll(v.Doc, "|", `\|`))
		}
	}
	compareDocument(t, "../../docs/settings.md", want.String())
}

// standard is what holds where a variable is not set.
func standard(v config.Variable) string {
	switch {
	case v.Required:
		return "**required**"
	case v.Default == "":
		return ""
	}
	return "`" + v.Default + "`"
}
