package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// each does something to each of several files, tells what failed, and goes on
// with the next unless there is no server or the command was interrupted.
func each(cmd *cobra.Command, s *settings, ids []string, do func(id string) error) error {
	failed := 0
	for _, id := range ids {
		err := do(id)
		if err == nil {
			continue
		}
		lost, ok := errors.AsType[*client.Unreachable](err)
		if cmd.Context().Err() != nil || ok && lost.NoServer() {
			return err
		}
		failed++
		if err := tell(cmd, s, failedLine{FileID: id, Error: explain(err)}); err != nil {
			return err
		}
	}
	return someFailed(failed, len(ids))
}

// failedLine says what failed, and for which file.
type failedLine struct {
	FileID string `json:"fileId,omitempty"`
	Path   string `json:"path,omitempty"` // of an upload, as it was given
	Error  string `json:"error"`
}

// tell writes a failure: to standard error for people, in between the results
// for scripts.
func tell(cmd *cobra.Command, s *settings, f failedLine) error {
	if s.json {
		return writeJSON(cmd.OutOrStdout(), f)
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", shown(f.Path+f.FileID), shown(f.Error))
	return err
}

// someFailed is the error that gives the exit status, once each failure was
// told; nil if there was none.
func someFailed(failed, of int) error {
	switch {
	case failed == 0:
		return nil
	case of == 1:
		return &told{}
	}
	return &told{summary: fmt.Sprintf("%d of %d failed", failed, of)}
}

// told is a failure that the user knows of already; the summary may be empty.
type told struct{ summary string }

func (t *told) Error() string { return cmp.Or(t.summary, "failed") }
