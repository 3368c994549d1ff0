package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newWatch(s *settings) *cobra.Command {
	var all bool
	var after, operator string
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			find := s.client
			if all {
				find = func() (*client.Client, error) { return s.operatorClient(operator) }
			}
			c, err := find()
			if err != nil {
				return err
			}
			return s.watch(cmd, c, client.Following{AllOwners: all, After: after}, writeEvent)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "print the results of all owners")
	cmd.Flags().StringVar(&operator, "operator", "", "with --all: operator address of query, such as http://127.0.0.1:8085 [ASSAY_OPERATOR]")
	cmd.Flags().StringVar(&after, "after", "", "resume after the event with this id")
	return cmd
}

// watch prints events with write, or as JSON, until the command is interrupted.
func (s *settings) watch(cmd *cobra.Command, c *client.Client, f client.Following, write func(out, notes io.Writer, e client.Event) error) error {
	watching := false
	for e, err := range c.Events(cmd.Context(), f) {
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
		if s.json {
			err = writeJSON(cmd.OutOrStdout(), eventLine{e.Type, e.ID, e.Data})
		} else {
			err = write(cmd.OutOrStdout(), cmd.ErrOrStderr(), e)
		}
		if err != nil {
			return err
		}
	}
	return errors.New("the event stream ended")
}

type eventLine struct {
	Event string          `json:"event"`
	ID    string          `json:"id"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// writeEvent writes an event as readable text: outcomes to out, messages about the watch to notes.
func writeEvent(out, notes io.Writer, e client.Event) error {
	switch e.Type {
	case client.Ready:
		note(notes, "Watching; stop with Ctrl-C.")
	case client.Resync:
		note(notes, "Some results were missed; see them with: assay list")
	case client.CompletedEvent, client.FailedEvent:
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
		if _, err := fmt.Fprint(out, at.Local().Format(time.TimeOnly), "  "); err != nil {
			return err
		}
		return writeLine(out, file)
	}
	return nil
}
