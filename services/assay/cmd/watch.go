package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newWatch(s *settings) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print results as they arrive, until interrupted",
		Long: `Print results as they arrive, until interrupted.

When the connection is lost, watch reconnects and resumes without a gap. With
--json each line is {"event", "id", "data"}; to resume after a line, pass its id to
--after. The event "resync" means that results were missed because the id is too
old: list your files, then continue.

With --all it uses the operator address of query: --operator, else
ASSAY_OPERATOR, else that of a running "assay serve".`,
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.BoolVar(&all, "all", false, "print the results of all owners")
	flags.StringVar(&s.operator, "operator", "",
		"with --all: operator address of query, such as http://127.0.0.1:8085 [ASSAY_OPERATOR]")
	connect := func() (*client.Client, error) {
		if all {
			return s.operatorClient()
		}
		return s.client()
	}
	return s.newFollow(cmd, "results were missed; see them with: assay list", connect,
		func(context.Context, *client.Client, []string) (client.Following, error) {
			return client.Following{AllOwners: all}, nil
		}, s.writeOutcome)
}

// newFollow completes a command that prints the events of a stream with write, or as JSON, until it is interrupted.
// missed says what was missed in a gap of the stream, and where to find it.
func (s *settings) newFollow(
	cmd *cobra.Command, missed string, connect func() (*client.Client, error),
	stream func(context.Context, *client.Client, []string) (client.Following, error),
	write func(io.Writer, client.Event) error,
) *cobra.Command {
	var after string
	cmd.Flags().StringVar(&after, "after", "", "resume after the event with this id")
	cmd.RunE = with(connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
		following, err := stream(cmd.Context(), c, args)
		if err != nil {
			return err
		}
		following.After = after
		watching := false
		for e, err := range c.Events(cmd.Context(), following) {
			if cmd.Context().Err() != nil {
				return nil // interrupted: the normal end of a watch
			}
			if err != nil {
				return err
			}
			if e.Type == client.Ready && watching {
				continue // the client reconnected
			}
			watching = true
			switch {
			case s.json:
				err = writeJSON(cmd.OutOrStdout(), eventLine{e.Type, e.ID, e.Data})
			case e.Type == client.Ready:
				note(cmd.ErrOrStderr(), "Watching; stop with Ctrl-C.")
			case e.Type == client.Resync:
				note(cmd.ErrOrStderr(), "Some %s", missed)
			default:
				err = write(cmd.OutOrStdout(), e)
			}
			if err != nil {
				return err
			}
		}
		return errors.New("the event stream ended")
	})
	return cmd
}

type eventLine struct {
	Event string          `json:"event"`
	ID    string          `json:"id"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// writeOutcome writes the outcome of a file as readable text.
func (s *settings) writeOutcome(w io.Writer, e client.Event) error {
	if e.Type != client.CompletedEvent && e.Type != client.FailedEvent {
		return nil
	}
	var o client.Outcome
	if err := json.Unmarshal(e.Data, &o); err != nil {
		return fmt.Errorf("event %s: %w", e.ID, err)
	}
	file := client.File{FileID: o.ID, FileName: o.Name, Result: o.Result, ErrorMessage: o.ErrorMessage}
	at := o.CompletedAt
	file.Status = client.Completed
	if e.Type == client.FailedEvent {
		file.Status, at = client.Failed, o.FailedAt
	}
	if _, err := fmt.Fprint(w, at.Local().Format(time.TimeOnly), "  "); err != nil {
		return err
	}
	return s.files().writeLine(w, file)
}

func newLibraryWatch(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch [PATH]",
		Short: "Print changes to a folder and everything below it, until interrupted",
		Long: `Print changes to a folder and everything below it, until interrupted.

When the connection is lost, watch reconnects and resumes without a gap. With
--json each line is {"event", "id", "data"}; to resume after a line, pass its id to
--after. The event "resync" means that changes were missed because the id is too
old: list the folder again.`,
		Args: cobra.MaximumNArgs(1),
	}
	return s.newFollow(cmd, "changes were missed; see them with: assay library tree", s.client,
		func(ctx context.Context, c *client.Client, args []string) (client.Following, error) {
			n, err := find(ctx, c, strings.Join(args, ""))
			return client.Following{Node: n.ID}, err
		}, writeChange)
}

// writeChange writes an event of the library as readable text.
func writeChange(w io.Writer, e client.Event) error {
	switch e.Type {
	case client.NodeEvent:
		var n client.ChangedNode
		if err := json.Unmarshal(e.Data, &n); err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
		change := n.Change
		if n.Trashed && change != "deleted" {
			change = "trashed"
		}
		_, err := fmt.Fprintf(w, "%s  %s  %-8s  %-18s  %s\n", n.ChangedAt.Local().Format(time.TimeOnly), n.NodeID, change, n.Status, shown(n.Name))
		return err
	case client.ProgressEvent:
		var p client.FileProgress
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return errors.New("the server sent an unreadable progress event")
		}
		ended := p.Done + p.Failed + p.Skipped
		_, err := fmt.Fprintf(w, "%s  %s  %-8s  %d of %d steps\n", time.Now().Format(time.TimeOnly), p.FileID, "progress", ended, ended+p.Open)
		return err
	}
	return nil
}
