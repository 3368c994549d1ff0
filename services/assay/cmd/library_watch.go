package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibraryWatch(s *settings) *cobra.Command {
	var after string
	cmd := &cobra.Command{
		Use:   "watch [PATH]",
		Short: "Print changes to a folder and everything below it, until interrupted",
		Long: `Print changes to a folder and everything below it, until interrupted.

When the connection is lost, watch reconnects and resumes without a gap. With
--json each line is {"event", "id", "data"}; to resume after a line, pass its id to
--after. The event "resync" means that changes were missed because the id is too
old: list the folder again.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			n, err := find(cmd.Context(), c, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return s.watch(cmd, c, client.Following{Node: n.ID, After: after}, writeChange)
		},
	}
	cmd.Flags().StringVar(&after, "after", "", "resume after the event with this id")
	return cmd
}

// writeChange writes an event of the library as readable text: changes to out, messages about the watch to
// notes.
func writeChange(out, notes io.Writer, e client.Event) error {
	switch e.Type {
	case client.Ready:
		note(notes, "Watching; stop with Ctrl-C.")
	case client.Resync:
		note(notes, "Some changes were missed; see them with: assay library tree")
	case client.NodeEvent:
		var n client.ChangedNode
		if err := json.Unmarshal(e.Data, &n); err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
		change := n.Change
		if n.Trashed && change != "deleted" {
			change = "trashed"
		}
		_, err := fmt.Fprintf(out, "%s  %s  %-8s  %-18s  %s\n", n.ChangedAt.Local().Format(time.TimeOnly), n.NodeID, change, n.Status, shown(n.Name))
		return err
	case client.ProgressEvent:
		var p client.FileProgress
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return errors.New("the server sent an unreadable progress event")
		}
		ended := p.Done + p.Failed + p.Skipped
		_, err := fmt.Fprintf(out, "%s  %s  %-8s  %d of %d steps\n", time.Now().Format(time.TimeOnly), p.FileID, "progress", ended, ended+p.Open)
		return err
	}
	return nil
}
