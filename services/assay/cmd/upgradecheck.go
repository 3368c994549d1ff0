package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/folder"
	"github.com/assay-project/assay/services/assay/setup"
)

func newUpgradeCheck(s *settings) *cobra.Command {
	var operated []string
	cmd := &cobra.Command{
		Use:   "upgrade-check",
		Short: "Check whether the running services can be replaced by this version",
		Long: `Check whether the services that are running can be replaced by those of this
version, one after another, while clients use them. Run it with the program of the
version to upgrade to, or to downgrade to. It changes nothing.

It reads the variables of "assay setup", and reports
- what "assay setup" would create or change,
- the versions of the running services, with --service for each operator address,
- messages, rows and settings of newer versions, which this version would leave,
- what to do, in which order.

With --data it checks the data folder of a stopped "assay serve" instead.

Exit status: 0 if a rolling upgrade is possible, 1 otherwise.`,
		Example: `  assay upgrade-check --service http://ingest:8084 --service http://query:8085 --service http://analyzer:8086`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("data") {
				return s.checkFolder(cmd.OutOrStdout())
			}
			cfg, err := config.Load[setup.Config](os.Environ())
			if err != nil {
				return err
			}
			report, err := setup.Check(cmd.Context(), cfg, operated)
			if err != nil {
				return err
			}
			if s.json {
				err = writeJSON(cmd.OutOrStdout(), struct {
					Possible bool `json:"possible"`
					setup.Report
				}{report.Possible(), report})
			} else {
				_, err = io.WriteString(cmd.OutOrStdout(), upgradeText(report))
			}
			if err == nil && !report.Possible() {
				err = &reported{summary: "a rolling upgrade to " + report.Version + " is not possible"}
			}
			return err
		},
	}
	cmd.Flags().StringArrayVar(&operated, "service", nil, "operator address of a running service, such as http://127.0.0.1:8084; repeatable")
	return cmd
}

// checkFolder checks that this version reads the format of a data folder.
func (s *settings) checkFolder(w io.Writer) error {
	if _, err := os.Stat(s.data); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if _, err := folder.Examine(s.data); err != nil {
		return err
	}
	line := struct {
		Possible bool   `json:"possible"`
		Version  string `json:"version"`
		Data     string `json:"data"`
	}{true, process.Version(), s.data}
	return s.write(w, line, "Version %s reads the format of %s. Make a backup, and start the new version with it.\n", line.Version, line.Data)
}

// upgradeText returns the report as text.
func upgradeText(r setup.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Upgrade to version %s\n\nassay setup would change:\n", r.Version)
	if len(r.Changes) == 0 {
		b.WriteString("  nothing\n")
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "  %s %s: %s", c.Kind, c.Name, c.Action)
		if c.Manual {
			b.WriteString(" (by hand)")
		}
		b.WriteString("\n")
	}
	b.WriteString("\nRunning services:\n")
	if len(r.Services) == 0 {
		b.WriteString("  none were given; use --service\n")
	}
	for _, s := range r.Services {
		if s.Error != "" {
			fmt.Fprintf(&b, "  %s: %s\n", s.URL, s.Error)
			continue
		}
		fmt.Fprintf(&b, "  %s: %s, version %s\n", s.URL, s.Name, s.Version)
	}
	for _, n := range r.Newer {
		more := ""
		if !n.Complete {
			more = " or more"
		}
		fmt.Fprintf(&b, "\nOf a newer version: %d%s %s of %s\n", n.Count, more, n.Kind, n.Name)
	}
	if r.Possible() {
		b.WriteString("\nA rolling upgrade is possible:\n")
	} else {
		b.WriteString("\nA rolling upgrade is not possible:\n")
	}
	for i, step := range r.Steps {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, step)
	}
	return b.String()
}
