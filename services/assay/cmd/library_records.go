package cmd

import (
	"bytes"
	"cmp"
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
	var limit, from int
	cmd := &cobra.Command{
		Use:   "records PATH",
		Short: "List the records of a file, such as molecules, spectra or rows",
		Long: "List the records of a file: molecules, reactions, crystals, spectra or rows. A line begins with the number of the\n" +
			"record in the file. With a filter, the number of matching records is written to the standard error.\n\n" + filterHelp,
		Example: `  assay library records /drugs.sdf --filter 'logP < 3' --fields formula,weight,logP
  assay library records /drugs.sdf --sort -weight,name --limit 10
  assay library records /drugs.sdf --filter error`,
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVar(&q.Fields, "fields", "", "comma-separated names of the fields and properties to show")
	flags.IntVar(&limit, "limit", 50, "maximum number of records to list")
	flags.StringVar(&q.Sort, "sort", "", "comma-separated names of up to 5 fields and properties; -NAME sorts in descending order")
	flags.IntVar(&from, "from", 1, "number of the first record")
	cmd.MarkFlagsMutuallyExclusive("sort", "from")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		return cmp.Or(positive("--limit", limit), positive("--from", from))
	}
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		q.From, q.Limit = from-1, min(limit, recordsPerPage)
		listed, cursor := 0, ""
		for {
			page, err := c.RecordPage(cmd.Context(), n.ID, q, cursor)
			if err != nil {
				return err
			}
			for _, r := range page.Records[:min(len(page.Records), limit-listed)] {
				if err := s.writeRecord(cmd.OutOrStdout(), r); err != nil {
					return err
				}
				listed++
			}
			if cursor = page.NextCursor; cursor != "" && listed < limit {
				continue
			}
			writeIncomplete(cmd, page)
			if q.Filter == "" || s.json {
				return nil
			}
			return writeMatched(cmd.ErrOrStderr(), page)
		}
	})
}

// writeIncomplete writes the properties that could not be determined for some records to standard error. The filter
// does not find these records.
func writeIncomplete(cmd *cobra.Command, page client.RecordPage) {
	names := map[int][]string{}
	for _, name := range slices.Sorted(maps.Keys(page.Incomplete)) {
		n := page.Incomplete[name]
		names[n] = append(names[n], name)
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		cmd.PrintErrf("records without %s: %d\n", strings.Join(names[n], ", "), n)
	}
}

// writeMatched writes how many records match the filter.
func writeMatched(w io.Writer, page client.RecordPage) error {
	if page.Matched == nil {
		_, err := fmt.Fprintf(w, "at least %d of %d records match\n", page.MatchedAtLeast, page.Total)
		return err
	}
	_, err := fmt.Fprintf(w, "%d of %d records match\n", *page.Matched, page.Total)
	return err
}

// recordsPerPage is the largest page of records that the server sends.
const recordsPerPage = 200

// maxShown is the maximum number of characters of a value shown in a line.
const maxShown = 40

// writeRecord writes a record as one line.
func (s *settings) writeRecord(w io.Writer, r client.LibraryRecord) error {
	if s.json {
		return writeJSON(w, r)
	}
	line, objects := fmt.Sprintf("%6d  %s", r.Number, shown(r.Name)), []json.RawMessage{r.Properties, r.Fields}
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
	oneOfFlag(cmd, "format", exportFormats...)
	cmd.ValidArgsFunction = s.completePaths(1)
	flags.StringVar(&e.Fields, "fields", "",
		"comma-separated names of fields and properties, in the order of the output (default all)")
	flags.StringVar(&e.Rename, "rename", "", "comma-separated pairs of old and new names, such as logP:LogP")
	flags.StringVar(&e.Filter, "filter", "", "only the records that the FILTER selects")
	flags.StringVar(&e.Formulas, "formulas", "", "text: spreadsheets read values of CSV that look like formulas as texts (default unchanged)")
	oneOfFlag(cmd, "formulas", "text")
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
		page, err := c.RecordPage(ctx, n.ID, client.RecordQuery{Fields: e.Fields, Filter: e.Filter, Limit: 1}, "")
		if err != nil {
			return nil, err
		}
		writeIncomplete(cmd, page)
		return c.ExportRecords(ctx, n.ID, e)
	})
}

const formulasHelp = `A spreadsheet evaluates values of a CSV file that begin with =, +, - or @ as formulas,
also those of files from others. With --formulas text, such values, unless they are
numbers, get a leading apostrophe.`

// exportFormats lists the export formats of all kinds of files.
var exportFormats = []string{"csv", "jsonl", "sdf", "smi", "rdf", "rxn", "cif", "jdx"}
