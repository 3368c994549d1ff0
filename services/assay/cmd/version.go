package cmd

import (
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/query"
)

// engines are the Go modules that store and process, by the names that users know.
var engines = []struct{ name, module string }{
	{"nats-server", "github.com/nats-io/nats-server/v2"},
	{"versitygw", "github.com/versity/versitygw"},
	{"dynamolite", "github.com/assay-project/assay/pkg/dynamolite"},
	{"bbolt", "go.etcd.io/bbolt"},
	{"sqlite", "modernc.org/sqlite"},
	{"wazero", "github.com/tetratelabs/wazero"},
}

func newVersion(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version, the commit and the versions of the engines",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := thisVersion()
			if s.json {
				return writeJSON(cmd.OutOrStdout(), v)
			}
			var table columns
			commit := v.Commit
			if v.Modified {
				commit += " with changes"
			}
			table.field("commit", commit)
			table.field("date", v.Date)
			table.field("go", v.Go+" "+v.Platform)
			for _, e := range v.Engines {
				table.field("engines", e.Name+" "+e.Version)
			}
			for _, c := range v.Embedded {
				if c.Kind == extract.KindProgram {
					table.field("engines", c.Name+" "+c.Version)
				}
			}
			_, err := io.WriteString(cmd.OutOrStdout(), "assay "+v.Version+"\n")
			return errors.Join(err, table.write(cmd.OutOrStdout()))
		},
	}
}

// versions describes the program and what it contains.
type versions struct {
	process.Build
	Engines  []engine            `json:"engines"`
	Embedded []extract.Component `json:"embedded"`
}

// engine is an engine in the program.
type engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// thisVersion returns the versions of this program. An engine that it does not link is absent: those of "assay serve" in
// images of assay, for example.
func thisVersion() versions {
	v := versions{Build: process.ThisBuild(), Engines: []engine{}, Embedded: extract.Embedded()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, e := range engines {
		i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == e.module })
		if i < 0 {
			continue
		}
		version := info.Deps[i].Version
		if strings.HasPrefix(e.module, "github.com/assay-project/") {
			version = v.Version // released together
		}
		v.Engines = append(v.Engines, engine{e.name, version})
	}
	return v
}

func newLicenses() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Show the licenses of Assay and its embedded data",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			notices := slices.Sorted(slices.Values(slices.Concat(analyzer.Notices(), query.Notices()))) // both contain RDKit
			_, err := io.WriteString(cmd.OutOrStdout(), process.Licenses(slices.Compact(notices)...))
			return err
		},
	}
}
