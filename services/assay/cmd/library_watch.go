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
