package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

const filterHelp = `A FILTER compares fields of the file and properties that Assay determined:

  logP < 3 and ("Melting Point" >= 120 or not CAS) and name ~ 'acid'

The comparisons are <, <=, >, >= with a number or a date, = and !=, and ~ and !~ for
a text within the value. A name alone selects the records with a value; error those
that failed.`

func newLibraryRecords(s *settings) *cobra.Command {
	var q client.RecordQuery
	var limit int
	cmd := &cobra.Command{
		Use:   "records PATH",
		Short: "List the records of a file: molecules, spectra, rows",
		Long:  "List the records of a file: molecules, reactions, crystals, spectra or rows.\n\n" + filterHelp,
		Example: `  assay library records /drugs.sdf --filter 'logP < 3' --fields formula,weight,logP
  assay library records /drugs.sdf --filter error`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return &Usage{Err: fmt.Errorf("--limit %d: must be 1 or more", limit)}
			}
			c, n, err := s.node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			q.Limit = min(limit, 200)
			listed := 0
			for r, err := range c.Records(cmd.Context(), n.ID, q) {
				if err == nil {
					err = s.writeRecord(cmd.OutOrStdout(), r)
				}
				if err != nil {
					return err
				}
				if listed++; listed == limit {
					break
				}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVar(&q.Fields, "fields", "", "names of fields and properties to show, separated by commas")
	flags.IntVar(&limit, "limit", 50, "maximum number of records")
	flags.IntVar(&q.From, "from", 0, "index of the first record, from 0")
	return cmd
}

// maxShown is how many characters of a value a line shows.
const maxShown = 40

// writeRecord writes a record as one line.
func (s *settings) writeRecord(w io.Writer, r client.LibraryRecord) error {
	if s.json {
		return writeJSON(w, r)
	}
	line := fmt.Sprintf("%6d  %s", r.Index, shown(r.Name))
	if r.Error != "" {
		_, err := fmt.Fprintf(w, "%s  (%s)\n", line, shown(r.Error))
		return err
	}
	for _, object := range []json.RawMessage{r.Properties, r.Fields} {
		values, err := members(object)
		if err != nil {
			return err
		}
		for _, v := range values {
			line += "  " + v
		}
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// members returns the members of an object as name=value, in their order.
func members(object json.RawMessage) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var all []string
	name, named := "", false
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("a record of the server cannot be read: %w", err)
		}
		if _, bracket := t.(json.Delim); bracket {
			continue
		}
		if !named {
			name, named = fmt.Sprint(t), true
			continue
		}
		value := strings.Join(strings.Fields(fmt.Sprint(t)), " ")
		if runes := []rune(value); len(runes) > maxShown {
			value = string(runes[:maxShown]) + "…"
		}
		all = append(all, shown(name)+"="+shown(value))
		named = false
	}
}

func newLibraryExport(s *settings) *cobra.Command {
	var e client.Export
	var output string
	cmd := &cobra.Command{
		Use:   "export PATH",
		Short: "Export the records of a file as CSV, JSON Lines or in its own format",
		Long:  "Export the records of a file as CSV, JSON Lines or in its own format. Records that failed are left out.\n\n" + filterHelp,
		Example: `  assay library export /drugs.sdf --format csv --fields formula,logP --rename logP:LogP -o drugs.csv
  assay library export /drugs.sdf --filter 'weight < 500' -o light.sdf`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if e.Format == "" {
				e.Format = strings.ToLower(strings.TrimPrefix(path.Ext(output), "."))
			}
			if e.Format == "" {
				return &Usage{Err: fmt.Errorf("name the --format: %s", strings.Join(exportFormats, ", "))}
			}
			if !slices.Contains(exportFormats, e.Format) {
				return &Usage{Err: fmt.Errorf("--format %s: must be one of %s", e.Format, strings.Join(exportFormats, ", "))}
			}
			c, n, err := s.node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			content, err := c.ExportRecords(cmd.Context(), n.ID, e)
			if err != nil {
				return err
			}
			return writeContent(cmd, output, content)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.Format, "format", "", "csv, jsonl, or the format of the file; by default the ending of the output")
	flags.StringVar(&e.Fields, "fields", "", "names of fields and properties in their order, separated by commas; all by default")
	flags.StringVar(&e.Rename, "rename", "", "pairs of a name and the name in the export, such as logP:LogP, separated by commas")
	flags.StringVar(&e.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVarP(&output, "output", "o", "", "file to write to instead of standard output")
	return cmd
}

// exportFormats are those that the server has for some file.
var exportFormats = []string{"csv", "jsonl", "sdf", "rdf", "rxn", "cif", "jdx"}
