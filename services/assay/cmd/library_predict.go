package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// prediction is one run of `assay library model predict`.
type prediction struct {
	*settings
	records recordFlags
	name    string
	to      string
	wait    bool
	limit   int
}

func newModelPredict(s *settings) *cobra.Command {
	p := &prediction{settings: s}
	cmd := &cobra.Command{
		Use:   "predict MODEL [FILE]",
		Short: "Predict the records of a file, or single records",
		Long: `Predict the records of a FILE in the library, or single records.

The result is a file with the records and, for each, the prediction with its interval or
its probability, the similarity to the nearest record that the model was trained on, and
whether that is similar enough for the prediction to be trusted. The records are listed,
filtered and exported like those of any file. With --wait, the predictions are printed.

A --record has comma-separated pairs of a field and its value; a pair with a comma or a
quotation mark is quoted as in CSV. A molecule is the field smiles. --records reads up to
1,000 records: a JSON object with the values of the fields in each line.
Exit status: 0 on success, 1 if the records could not be predicted.`,
		Example: `  assay library model predict /Models/Solubility /candidates.sdf --to /Results --wait
  assay library model predict /Models/Solubility --record smiles=CCO --record 'smiles=CC(=O)O' --wait
  assay library model predict /Models/Yield --record temperature=80,time=12 --wait
  assay library model predict /Models/Solubility --records molecules.jsonl --name candidates`,
		Args: cobra.RangeArgs(1, 2),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&p.records.each, "record", nil, "record to predict, such as smiles=CCO; can be repeated")
	flags.StringVar(&p.records.path, "records", "", "local file with the records to predict, as JSON Lines; - is the standard input")
	flags.StringVar(&p.name, "name", "", "name of the file with the predictions (default: the names of the model and the file)")
	flags.StringVar(&p.to, "to", "/", "folder of the library for the predictions; created if it is missing")
	flags.BoolVar(&p.wait, "wait", false, "wait for the predictions and print them")
	flags.IntVar(&p.limit, "limit", 50, "maximum number of predictions to print")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if err := p.records.check(len(args) == 2); err != nil {
			return err
		}
		return positive("--limit", p.limit)
	}
	return s.newNode(cmd, p.run)
}

func (p *prediction) run(cmd *cobra.Command, c *client.Client, model client.Node, args []string) error {
	ctx := cmd.Context()
	request := client.NewPrediction{Name: p.name}
	if len(args) > 0 {
		file, err := find(ctx, c, args[0])
		if err != nil {
			return err
		}
		request.FileID = file.ID
	} else {
		records, err := p.records.read(cmd.InOrStdin())
		if err != nil {
			return err
		}
		request.Records = records
	}
	parent, err := newFolders(c).at(ctx, p.to)
	if err != nil {
		return err
	}
	request.ParentID = parent.ID
	created, err := c.Predict(ctx, model.ID, request)
	switch {
	case err != nil:
		return err
	case p.wait:
		return p.writePredicted(cmd, c, created.ID)
	}
	return p.nodes().writeLine(cmd.OutOrStdout(), created.Node)
}

// predicted is a file with its records, which have the predictions.
type predicted struct {
	client.Node
	Records []client.LibraryRecord `json:"records"`
}

// writePredicted writes a file and its predictions when the records are predicted. It returns an error if that failed.
func (p *prediction) writePredicted(cmd *cobra.Command, c *client.Client, id string) error {
	n, err := c.WaitNode(cmd.Context(), id)
	if err != nil {
		return err
	}
	found := predicted{n, []client.LibraryRecord{}}
	if n.Status != client.LibraryFailed {
		if found.Records, err = p.first(cmd.Context(), c, id); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	if p.json {
		err = writeJSON(out, found)
	} else {
		err = errors.Join(p.nodes().writeLine(out, n), writePredictions(out, found.Records))
	}
	if more := n.TotalRecords - int64(len(found.Records)); more > 0 && n.Status != client.LibraryFailed {
		note(cmd.ErrOrStderr(), "There are %d more; raise --limit, or use assay library records or export.", more)
	}
	if err == nil && n.Status == client.LibraryFailed {
		err = errors.New("the records could not be predicted")
	}
	return err
}

// first returns the first records of a file, up to the limit.
func (p *prediction) first(ctx context.Context, c *client.Client, id string) ([]client.LibraryRecord, error) {
	records := []client.LibraryRecord{}
	for r, err := range c.Records(ctx, id, client.RecordQuery{Limit: min(p.limit, recordsPerPage)}) {
		if err != nil {
			return nil, err
		}
		if records = append(records, r); len(records) == p.limit {
			break
		}
	}
	return records, nil
}

// predictedProperties lists the properties of predictions with the headings of their columns. A regression has an interval and
// a classification a probability.
var predictedProperties = []struct{ name, head string }{
	{"prediction", "PREDICTION"},
	{"predictionLow", "LOW"},
	{"predictionHigh", "HIGH"},
	{"probability", "PROBABILITY"},
	{"similarity", "SIMILARITY"},
	{"insideDomain", "INSIDE DOMAIN"},
	{reasonName, "REASON"},
}

// reasonName is the property of records without a prediction.
const reasonName = "reason"

// writePredictions writes records with their predictions in columns. It leaves out properties that no record has.
func writePredictions(w io.Writer, records []client.LibraryRecord) error {
	all, has := make([]map[string]any, len(records)), map[string]bool{}
	for i, r := range records {
		if err := json.Unmarshal(r.Properties, &all[i]); err != nil {
			return fmt.Errorf("the server sent an unreadable record: %w", err)
		}
		if r.Error != "" {
			all[i] = map[string]any{reasonName: r.Error}
		}
		for name := range all[i] {
			has[name] = true
		}
	}
	if len(records) == 0 {
		return nil
	}
	var t columns
	heads := []any{"RECORD", "NAME"}
	for _, p := range predictedProperties {
		if has[p.name] {
			heads = append(heads, p.head)
		}
	}
	t.row(heads...)
	for i, r := range records {
		name, err := titleOf(r)
		if err != nil {
			return err
		}
		cells := []any{r.Number, name}
		for _, p := range predictedProperties {
			if has[p.name] {
				cells = append(cells, predictedCell(all[i][p.name]))
			}
		}
		t.row(cells...)
	}
	return t.write(w)
}

// titleOf returns the name of a record, or else its molecule or the first values of its fields.
func titleOf(r client.LibraryRecord) (string, error) {
	if r.Name != "" {
		return r.Name, nil
	}
	values, err := members(r.Fields)
	for _, value := range values {
		if molecule, found := strings.CutPrefix(value, moleculeField+"="); found {
			return molecule, err
		}
	}
	title := strings.Join(values, " ")
	if runes := []rune(title); len(runes) > maxShown {
		title = string(runes[:maxShown]) + "…"
	}
	return title, err
}

// moleculeField is the field with the molecule of a record to predict.
const moleculeField = "smiles"

// predictedCell formats a value of a prediction.
func predictedCell(value any) string {
	switch v := value.(type) {
	case nil:
		return "–"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return fmt.Sprint(value)
}
