package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/cmd"
	"github.com/assay-project/assay/services/assay/gateway"
	"github.com/assay-project/assay/services/assay/serve"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

var update = flag.Bool("update", false, "write the generated documents")

// Limits on the number of settings. Names of tables and buckets, credentials and addresses do not
// count.
const (
	maxOfService = 25
	maxOfArea    = 10
)

// program is a program that reads environment variables.
type program struct {
	name, note string
	variables  []config.Variable
}

// services returns the programs that share the common variables and the variables of the areas.
func services() []program {
	return []program{
		{"ingest", "", config.Variables[ingest.Config]()},
		{"analyzer", "`assay sweep` reads the same variables.", config.Variables[analyzer.Config]()},
		{"query", "", config.Variables[query.Config]()},
	}
}

func commands() []program {
	return []program{
		{"assay serve", "Its services also read their own variables, except the addresses and credentials of the backends.", config.Variables[serve.Config]()},
		{"assay gateway", "It uses no backends and has no credentials.", config.Variables[gateway.Config]()},
		{"assay setup", "It also reads the names of all tables.", config.Variables[setup.Config]()},
		{"assay feed rebuild", "It reads only the variables of AWS, DynamoDB and the feed's tables.", config.Variables[cmd.RebuildConfig]()},
	}
}

const settingsIntro = `# Settings

Programs read environment variables. An empty variable is treated as unset. Without a default, a variable is optional
unless it is under "Must set". Durations have the form 30s or 5m; sizes are in bytes.

Go's GOGC and GOMEMLIMIT apply too. By default, the garbage collector runs after 40 MiB plus the size of the live heap
have been allocated (` + "`assay serve`" + `: %d MiB plus %d %% of the live heap), and more often above 90 %% of the container's memory.

Generated from the programs. After a change: ` + "`go test ./services/assay -run SettingsDocument -update`" + `.
`

const constants = `
## Constants

These values are fixed. Open an issue if you need to change one.

| value | meaning |
|---|---|
| 8, 5 minutes | number of abandoned attempts in an area, and time since one was abandoned, above which an analyzer exits so that it is restarted |
| 20 times ASSAY_S3_TIMEOUT | time limit for S3 to complete a multipart upload or to copy an object |
| 4, 20 s, 6 hours | number of feed sources that one ingest process polls concurrently, timeout of a request, longest pause after failures |
| 15 s | how long a streamed upload waits for a free slot before it gets 503 |
| half | share of the live event streams, waiting requests and downloads of a process that one owner can hold |
| 256, 192 | number of library downloads that stream through one query process concurrently, and number for one client address |
| 4 s | how long a request waits for DynamoDB, S3 or NATS without a response before it gets 503; a response restores the limit |
| 32 MiB | memory of a process for request bodies in handlers |
| 200 ms | interval between polls of a change stream while there are no changes |
| 3 s | time without renewal after which the lease of a follower of a change stream expires |
| 10 minutes | period in which NATS drops repeated events with the same id |
`

func TestSettingsDocument(t *testing.T) {
	var want strings.Builder
	fmt.Fprintf(&want, settingsIntro, serve.Runtime().Heap/2>>20, serve.Runtime().Growth)
	described := areas(t)
	all := betweenAreas(services(), described)
	shared := common(all, described)
	write := func(title, note string, list []config.Variable) {
		fmt.Fprintf(&want, "\n## %s\n", title)
		if note != "" {
			fmt.Fprintf(&want, "\n%s\n", note)
		}
		for _, use := range []struct{ use, title string }{{config.Must, "Must set"}, {config.Often, "Often"}, {config.Rarely, "Rarely"}} {
			rows := ""
			for _, v := range list {
				if v.Doc == "" {
					t.Errorf("%s: %s has no doc tag", title, v.Name)
				}
				if v.Use == use.use {
					rows += fmt.Sprintf("| `%s` | %s | %s |\n", v.Name, standard(v), strings.ReplaceAll(v.Doc, "|", `\|`))
				}
			}
			if rows != "" {
				fmt.Fprintf(&want, "\n%s:\n\n| variable | default | meaning |\n|---|---|---|\n%s", use.title, rows)
			}
		}
	}
	write("Common to ingest, analyzer and query", "", shared)
	own := func(p program) []config.Variable {
		return slices.DeleteFunc(slices.Clone(p.variables), func(v config.Variable) bool { return areaOf(v, described) != "" || contains(shared, v) })
	}
	for _, p := range all {
		rest := own(p)
		write(p.name, p.note, rest)
		if n := len(tuned(append(rest, shared...))); n > maxOfService {
			t.Errorf("%s has %d settings, want at most %d", p.name, n, maxOfService)
		}
	}
	for _, a := range described {
		list := ofArea(a.Name, all, described)
		write("Area "+a.Name, "Each service reads the variables that concern it.", list)
		if n := len(tuned(list)); n > maxOfArea {
			t.Errorf("the area %s has %d settings, want at most %d", a.Name, n, maxOfArea)
		}
	}
	for _, p := range commands() {
		write(p.name, p.note, own(p))
	}
	want.WriteString(constants)
	compareDocument(t, "../../docs/settings.md", want.String())
	compareDocument(t, "../../pkg/config/names.txt", names(t))
}

// composed matches a variable of docker-compose.yml, such as ${ASSAY_PORT:-8080}.
var composed = regexp.MustCompile(`\$\{(ASSAY_\w+)`)

// names lists the project's own variables, including those of docker-compose.yml, one per line.
func names(t *testing.T) string {
	t.Helper()
	compose, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, variable := range composed.FindAllSubmatch(compose, -1) {
		all[string(variable[1])+"\n"] = true
	}
	for _, p := range slices.Concat(services(), commands()) {
		for _, v := range p.variables {
			if strings.HasPrefix(v.Name, "ASSAY_") {
				all[v.Name+"\n"] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), "")
}

// common returns the variables that belong to no area and that all programs read in the same way, each once.
func common(all []program, areas []area.Area) []config.Variable {
	var list []config.Variable
	for _, v := range all[0].variables {
		lacking := slices.ContainsFunc(all, func(p program) bool { return !contains(p.variables, v) })
		if areaOf(v, areas) == "" && !lacking && !contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// contains reports whether a list contains v with the same text and default.
func contains(list []config.Variable, v config.Variable) bool {
	return slices.ContainsFunc(list, func(other config.Variable) bool {
		return other.Name == v.Name && other.Doc == v.Doc && other.Default == v.Default
	})
}

// areaOf returns the area of a variable, or "" if it belongs to none. The field of the services'
// settings that contains the variable has the name of the area.
func areaOf(v config.Variable, areas []area.Area) string {
	for _, a := range areas {
		if strings.EqualFold(v.Part, a.Name) {
			return a.Name
		}
	}
	return ""
}

// betweenAreas removes the area of variables that several areas read, and lists each of them once per program.
func betweenAreas(all []program, areas []area.Area) []program {
	first, several := map[string]string{}, map[string]bool{} // by the name of the variable
	for _, p := range all {
		for _, v := range p.variables {
			if name := areaOf(v, areas); name != "" {
				several[v.Name] = several[v.Name] || cmp.Or(first[v.Name], name) != name
				first[v.Name] = name
			}
		}
	}
	for i, p := range all {
		var list []config.Variable
		for _, v := range p.variables {
			if several[v.Name] {
				v.Part = ""
			}
			if !several[v.Name] || !contains(list, v) {
				list = append(list, v)
			}
		}
		all[i].variables = list
	}
	return all
}

// ofArea lists the variables of the named area, each once.
func ofArea(name string, all []program, areas []area.Area) []config.Variable {
	var list []config.Variable
	for _, p := range all {
		for _, v := range p.variables {
			if areaOf(v, areas) == name && !contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// tuned returns the names of the variables, without those that name, locate or authenticate something.
func tuned(list []config.Variable) []string {
	var names []string
	for _, v := range list {
		fixed := v.Secret || strings.HasPrefix(v.Name, "AWS_") || strings.HasPrefix(v.Name, "ASSAY_OIDC_") || v.Name == "ASSAY_AUTH" || v.Name == "ASSAY_ENV"
		for _, end := range []string{"_TABLE", "_BUCKET", "_ADDR", "_URL", "_ENDPOINT", "_USER", "_CREDENTIALS", "_TLS_CERT", "_TLS_KEY"} {
			fixed = fixed || strings.HasSuffix(v.Name, end)
		}
		if !fixed {
			names = append(names, v.Name)
		}
	}
	return names
}

// standard returns the default value of a variable.
func standard(v config.Variable) string {
	if v.Default == "" {
		return ""
	}
	return "`" + v.Default + "`"
}
