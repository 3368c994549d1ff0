package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

const filterHelp = `A FILTER compares fields of the file and properties that Assay computed:

  logP < 3 and ("Melting Point" >= 120 or not CAS) and name ~ 'acid'

The comparisons are <, <=, >, >= with a number or a date, = and !=, and ~ and !~ for
a substring. A name alone selects the records that have a value; the word error selects
the failed records.`

func newLibraryRecords(s *settings) *cobra.Command {
	var q client.RecordQuery
	var limit int
	cmd := &cobra.Command{
		Use:   "records PATH",
		Short: "List the records of a file, such as molecules, spectra or rows",
		Long:  "List the records of a file: molecules, reactions, crystals, spectra or rows.\n\n" + filterHelp,
		Example: `  assay library records /drugs.sdf --filter 'logP < 3' --fields formula,weight,logP
  assay library records /drugs.sdf --filter error`,
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVar(&q.Fields, "fields", "", "comma-separated names of the fields and properties to show")
	flags.IntVar(&limit, "limit", 50, "maximum number of records to list")
	flags.IntVar(&q.From, "from", 0, "zero-based index of the first record")
	cmd.PreRunE = func(*cobra.Command, []string) error { return positive("--limit", limit) }
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		q.Limit = min(limit, 200)
		if err := warnIncomplete(cmd, c, n.ID, q); err != nil {
			return err
		}
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
	})
}

// warnIncomplete writes the properties that could not be determined for some records to standard error. The filter
// does not find these records.
func warnIncomplete(cmd *cobra.Command, c *client.Client, id string, q client.RecordQuery) error {
	q.Limit, q.From = 1, 0
	page, err := c.RecordPage(cmd.Context(), id, q, "")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(page.Incomplete)) {
		cmd.PrintErrf("%s is not determined for %d records\n", name, page.Incomplete[name])
	}
	return nil
}

// maxShown is the maximum number of characters of a value shown in a line.
const maxShown = 40

// writeRecord writes a record as one line.
func (s *settings) writeRecord(w io.Writer, r client.LibraryRecord) error {
	if s.json {
		return writeJSON(w, r)
	}
	line, objects := fmt.Sprintf("%6d  %s", r.Index, shown(r.Name)), []json.RawMessage{r.Properties, r.Fields}
	if r.Error != "" {
		line, objects = line+"  ("+shown(r.Error)+")", nil
	}
	for _, object := range objects {
		values, err := members(object)
		if err != nil {
			return err
		}
		line = strings.Join(append([]string{line}, values...), "  ")
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// members returns the members of a JSON object as name=value, in order.
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
			return nil, fmt.Errorf("the server sent an unreadable record: %w", err)
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
	cmd := &cobra.Command{
		Use:   "export PATH",
		Short: "Export the records of a file as CSV, JSON Lines or in the file's own format",
		Long:  "Export the records of a file as CSV, JSON Lines or in the file's own format. Failed records are omitted.\n\n" + formulasHelp + "\n\n" + filterHelp,
		Example: `  assay library export /drugs.sdf --format csv --fields formula,logP --rename logP:LogP -o drugs.csv
  assay library export /drugs.sdf --filter 'weight < 500' -o light.sdf`,
	}
	flags := cmd.Flags()
	flags.StringVar(&e.Format, "format", "", "csv, jsonl, or the format of the file (default: the extension of the output)")
	flags.StringVar(&e.Fields, "fields", "",
		"comma-separated names of fields and properties, in the order of the output (default all)")
	flags.StringVar(&e.Rename, "rename", "", "comma-separated pairs of old and new names, such as logP:LogP")
	flags.StringVar(&e.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVar(&e.Formulas, "formulas", "", "text: spreadsheets read values of CSV that look like formulas as texts (default unchanged)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := oneOf("--formulas", e.Formulas, []string{"", "text"}); err != nil {
			return err
		}
		if e.Format == "" {
			e.Format = strings.ToLower(strings.TrimPrefix(path.Ext(flags.Lookup("output").Value.String()), "."))
		}
		if e.Format == "" {
			return usage("specify --format: %s", strings.Join(exportFormats, ", "))
		}
		return oneOf("--format", e.Format, exportFormats)
	}
	return s.newDownload(cmd, func(c *client.Client, ctx context.Context, path string) (io.ReadCloser, error) {
		n, err := find(ctx, c, path)
		if err != nil {
			return nil, err
		}
		if err := warnIncomplete(cmd, c, n.ID, client.RecordQuery{Fields: e.Fields, Filter: e.Filter}); err != nil {
			return nil, err
		}
		return c.ExportRecords(ctx, n.ID, e)
	})
}

const formulasHelp = `A spreadsheet evaluates values of a CSV file that begin with =, +, - or @ as formulas,
also those of files from others. With --formulas text, such values, unless they are
numbers, get a leading apostrophe.`

// exportFormats lists the export formats of all kinds of files.
var exportFormats = []string{"csv", "jsonl", "sdf", "rdf", "rxn", "cif", "jdx"}
