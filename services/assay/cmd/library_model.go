package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/extract/learn/report"
	"github.com/assay-project/assay/services/assay/client"
)

func newLibraryModel(s *settings) *cobra.Command {
	return group(&cobra.Command{
		Use:   "model",
		Short: "Train models on records, and predict with them",
		Long: `Train models on the records of files, and predict with them.

A model predicts a column of the records from their other numeric columns and, if they
are molecules, from their structures. It is a node of the library: the other commands
move, share, delete and reprocess it like a file.`,
		Example: `  assay library model train /solubility.sdf SOL --wait
  assay library model show '/SOL of solubility.sdf'
  assay library model predict '/SOL of solubility.sdf' /candidates.sdf --wait
  assay library model predict '/SOL of solubility.sdf' --record smiles=CCO --wait`,
	}, newModelTrain(s), newModelShow(s), newModelPredict(s), newModelList(s))
}

func newModelTrain(s *settings) *cobra.Command {
	var m client.NewModel
	var to string
	var wait bool
	cmd := &cobra.Command{
		Use:   "train PATH COLUMN",
		Short: "Train a model that predicts a column of the records of a file",
		Long: `Train a model that predicts a column of the records of a file.

The column has numbers, or two different values. The server chooses between linear
models, a random forest and gradient boosting by cross-validation. The same records and
the same seed give the same model. With --wait, the command prints whether the model is
better than one that ignores the records; see assay library model show for the report.

To train a model again on the present records, use assay library reprocess.
Exit status: 0 on success, 1 if the training failed.`,
		Example: `  assay library model train /solubility.sdf SOL --name Solubility --to /Models --wait
  assay library model train /plates.csv active --seed 7`,
		Args: cobra.ExactArgs(2),
	}
	flags := cmd.Flags()
	flags.StringVar(&m.Name, "name", "", "name of the model (default: the names of the column and the file)")
	flags.StringVar(&to, "to", "/", "folder of the library for the model; created if it is missing")
	flags.Uint64Var(&m.Seed, "seed", 0, "seed of the random choices")
	flags.BoolVar(&wait, "wait", false, "wait until the model is trained")
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, args []string) error {
		ctx := cmd.Context()
		parent, err := newFolders(c).at(ctx, to)
		if err != nil {
			return err
		}
		m.FileID, m.Column, m.ParentID = n.ID, args[0], parent.ID
		created, err := c.TrainModel(ctx, m)
		switch {
		case err != nil:
			return err
		case wait:
			return s.writeTrained(ctx, c, cmd.OutOrStdout(), created.ID)
		}
		return s.models().writeLine(cmd.OutOrStdout(), created.Node)
	})
}

// models describes the models of the library.
func (s *settings) models() item[client.Node] {
	models := s.nodes()
	models.heads, models.layout = []any{"ID", "STATUS", "NAME"}, "%-36s  %-18s  %s"
	models.cells = func(n client.Node) []any { return []any{n.ID, n.Status, reasoned(n)} }
	models.created = func(n client.Node) time.Time { return n.CreatedAt }
	models.failed = func(n client.Node) error {
		if n.Status == client.LibraryFailed {
			return errors.New("the training failed")
		}
		return nil
	}
	return models
}

// trained is a model with the verdict of its report.
type trained struct {
	client.Node
	Verdict *report.ModelVerdict `json:"verdict,omitempty"` // nil if the training failed
}

// writeTrained writes a model and its verdict when it is trained. It returns an error if the training failed.
func (s *settings) writeTrained(ctx context.Context, c *client.Client, w io.Writer, id string) error {
	n, err := c.WaitNode(ctx, id)
	if err != nil {
		return err
	}
	t := trained{Node: n}
	failed := s.models().failed(n)
	if failed == nil {
		m, err := c.Model(ctx, id, client.Reading{})
		if err != nil {
			return err
		}
		t = trained{m.Node, &m.Report.Verdict}
	}
	if s.json {
		return errors.Join(writeJSON(w, t), failed)
	}
	if err := s.models().writeLine(w, t.Node); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	_, err = fmt.Fprintf(w, "  %s\n", shown(t.Verdict.Sentence))
	return err
}

func newModelShow(s *settings) *cobra.Command {
	var page string
	cmd := &cobra.Command{
		Use:   "show PATH",
		Short: "Show the report of a model, as text, as JSON or as a page with plots",
		Long: `Show the report of a model, as text, as JSON or as a page with plots.

The report begins with the verdict: whether the model is better than one that ignores
the records. Its errors are those of rows that a model was not trained on.`,
		Example: `  assay library model show '/SOL of solubility.sdf'
  assay library model show /Models/Solubility --html report.html`,
	}
	cmd.Flags().StringVar(&page, "html", "", "file to write the report to, as an HTML page with plots; - is the standard output")
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		out := cmd.OutOrStdout()
		if page != "" {
			content, err := c.ModelPage(cmd.Context(), n.ID, client.Reading{})
			if err != nil {
				return err
			}
			return errors.Join(store(page, out, content), content.Close())
		}
		m, err := c.Model(cmd.Context(), n.ID, client.Reading{})
		switch {
		case err != nil:
			return err
		case s.json:
			return writeJSON(out, m)
		}
		return report.Text(out, m.Report)
	})
}

func newModelList(s *settings) *cobra.Command {
	var limit int
	var all bool
	cmd := &cobra.Command{Use: "list", Short: "List your models, newest first", Args: cobra.NoArgs}
	flags := cmd.Flags()
	flags.IntVar(&limit, "limit", 20, "maximum number of models to list")
	flags.BoolVar(&all, "all", false, "list all models")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	cmd.PreRunE = func(*cobra.Command, []string) error { return positive("--limit", limit) }
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		listed, models := 0, s.models().withCreated()
		models.none = "No models yet; train one with: assay library model train PATH COLUMN"
		return models.writeList(cmd, func(yield func(client.Node, error) bool) {
			for n, err := range c.NodesByType(cmd.Context(), client.NodeModel) {
				if err == nil && !all && listed == limit {
					note(cmd.ErrOrStderr(), "There are more; use --all or raise --limit.")
					return
				}
				if listed++; !yield(n, err) {
					return
				}
			}
		})
	})
	return cmd
}
