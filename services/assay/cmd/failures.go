package cmd

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// each calls do with each id. It reports failures and continues, unless the server is unreachable or
// the command is interrupted.
func (s *settings) each(cmd *cobra.Command, ids []string, do func(id string) error) error {
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
		if err := s.report(cmd, failedLine{FileID: id, Error: explain(err)}); err != nil {
			return err
		}
	}
	return someFailed(failed, len(ids))
}

// failedLine is the JSON line of a failure.
type failedLine struct {
	FileID string `json:"fileId,omitempty"`
	Path   string `json:"path,omitempty"` // path of an uploaded file, as given on the command line
	Error  string `json:"error"`
}

// report reports a failure: as text on standard error, or as a JSON line between the results.
func (s *settings) report(cmd *cobra.Command, f failedLine) error {
	if s.json {
		return writeJSON(cmd.OutOrStdout(), f)
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", shown(f.Path+f.FileID), shown(f.Error))
	return err
}

// someFailed returns the error that sets the exit status after all failures have been reported, or nil
// if there were none.
func someFailed(failed, of int) error {
	switch {
	case failed == 0:
		return nil
	case of == 1:
		return &reported{}
	}
	return &reported{summary: fmt.Sprintf("%d of %d failed", failed, of)}
}

// reported is a failure that was already printed. summary may be empty.
type reported struct{ summary string }

func (r *reported) Error() string { return cmp.Or(r.summary, "failed") }
