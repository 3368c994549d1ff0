package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibrarySummary(s *settings) *cobra.Command {
	var q client.SummaryQuery
	cmd := &cobra.Command{
		Use:   "summary PATH",
		Short: "Describe the values of the records of a file: count, minimum, maximum, mean and more",
		Long: "Describe the values of each field of the records of a file: count, minimum, maximum, mean, standard deviation and\n" +
			"the most frequent values, of all records or of those that a filter selects, and of groups of them.\n\n" + filterHelp,
		Example: `  assay library summary /drugs.sdf --filter 'logP < 3' --fields weight,logP
  assay library summary /plates.csv --group operator --fields absorbance`,
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVar(&q.Fields, "fields", "", "comma-separated names of up to 50 fields and properties (default the first 50)")
	flags.StringVar(&q.Group, "group", "", "name of a field or property; describe each group of records with the same value")
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		summary, err := c.SummarizeRecords(cmd.Context(), n.ID, q)
		if err != nil {
			return err
		}
		if s.json {
			return writeJSON(cmd.OutOrStdout(), summary)
		}
		return writeSummary(cmd.OutOrStdout(), q.Group, summary)
	})
}

// writeSummary writes a line for each field of a summary, and then those of its groups.
func writeSummary(w io.Writer, group string, s client.RecordSummary) error {
	lines := append([]string{counted(s.Records)}, fieldLines(s.Fields)...)
	for _, g := range s.Groups {
		title := shown(group) + "=" + shown(g.Value)
		if g.Value == "" {
			title = "without " + shown(group)
		}
		lines = append(append(lines, title+": "+counted(g.Records)), fieldLines(g.Fields)...)
	}
	if s.OtherGroups > 0 {
		lines = append(lines, fmt.Sprintf("%d other groups: %s", s.OtherGroups, counted(s.OtherRecords)))
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

func counted(records int) string {
	if records == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", records)
}

// fieldLines returns a line for each field.
func fieldLines(fields []client.FieldStatistics) []string {
	var lines []string
	for _, f := range fields {
		line := fmt.Sprintf("  %s  count=%d  missing=%d", shown(f.Name), f.Count, f.Missing)
		if f.Distinct > 0 {
			line += fmt.Sprintf("  distinct=%d", f.Distinct)
		}
		if f.Numbers > 0 && f.Numbers < f.Count {
			line += fmt.Sprintf("  numbers=%d", f.Numbers)
		}
		for _, of := range []struct {
			name  string
			value json.RawMessage
		}{{"min", f.Min}, {"max", f.Max}} {
			if of.value != nil {
				line += "  " + of.name + "=" + shown(strings.Trim(string(of.value), `"`))
			}
		}
		for _, of := range []struct {
			name  string
			value *float64
		}{{"mean", f.Mean}, {"standardDeviation", f.StandardDeviation}} {
			if of.value != nil {
				line += "  " + of.name + "=" + strconv.FormatFloat(*of.value, 'g', 6, 64)
			}
		}
		for i, v := range f.Values {
			if i == frequentShown {
				line += "  …"
				break
			}
			line += fmt.Sprintf("  %s: %d", shown(v.Value), v.Count)
		}
		lines = append(lines, line)
	}
	return lines
}

// frequentShown is the number of the most frequent values in a line.
const frequentShown = 5
