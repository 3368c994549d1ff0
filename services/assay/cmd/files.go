package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// files describes text files.
func (s *settings) files() item[client.File] {
	return item[client.File]{
		settings: s, connect: s.client, noun: "file", listed: "assay list", isID: isUUID,
		none:  "No files yet; upload one with: assay upload FILE",
		offer: func(f client.File) string { return cobra.CompletionWithDesc(f.FileID, f.Status+"  "+shown(f.FileName)) },
		heads: []any{"ID", "STATUS", "FILE"}, layout: "%-36s  %-11s  %s",
		cells:    func(f client.File) []any { return []any{f.FileID, s.state(f.Status), shown(f.FileName) + outcome(f)} },
		created:  func(f client.File) time.Time { return f.CreatedAt },
		fields:   fileFields,
		list:     (*client.Client).List,
		perPage:  200, // the server accepts up to 1000
		statuses: []string{client.Pending, client.InProgress, client.Completed, client.Failed},
		get:      (*client.Client).Get,
		wait:     (*client.Client).Wait,
		failed: func(f client.File) error {
			if f.Status == client.Failed {
				return fmt.Errorf("the analysis of %s failed", f.FileID)
			}
			return nil
		},
		delete:  (*client.Client).Delete,
		deleted: func(id string) deletedLine { return deletedLine{FileID: id, Deleted: true} },
	}
}

// fileCommands returns the commands for text files.
func fileCommands(s *settings) []*cobra.Command {
	files := s.files()
	return []*cobra.Command{
		newUpload(s),
		files.newGet(&cobra.Command{Use: "get ID", Short: "Show a file and its result", Long: "Show a file and its result."}),
		files.newList(&cobra.Command{Use: "list", Short: "List your files, newest first"}),
		newWatch(s),
		s.newDownload(&cobra.Command{
			Use: "content ID", Short: "Download a file as it was uploaded", ValidArgsFunction: files.complete(1),
		}, files.checked((*client.Client).Content)),
		newRetry(files),
		files.newDelete(&cobra.Command{
			Use: "delete ID…", Short: "Delete files with their content and results",
			Long: `Delete files with their content and results. Deleting a file that does not exist
is not an error.`,
		}),
	}
}

func newRetry(files item[client.File]) *cobra.Command {
	var charset string
	cmd := &cobra.Command{
		Use: "retry ID…", Short: "Analyze FAILED files again, or any in another charset",
		Long: `Analyze FAILED files again. With --charset, COMPLETED files are analyzed again too:
they lose their results until then.`,
	}
	cmd.Flags().StringVar(&charset, "charset", "", "read the texts in this charset, such as koi8-r, instead of the declared or detected one")
	return files.newEach(cmd, func(c *client.Client, ctx context.Context, id string) (client.File, error) {
		return c.RetryAs(ctx, id, charset)
	})
}

// outcome summarizes the result of a file. It returns "" until there is one.
func outcome(f client.File) string {
	switch {
	case f.Result != nil:
		return fmt.Sprintf("  (%d words, %d distinct)", f.Result.TotalWords, f.Result.UniqueWords)
	case f.ErrorMessage != "":
		return "  (" + shown(f.ErrorMessage) + ")"
	}
	return ""
}

func fileFields(t *columns, f client.File) {
	t.row("file", f.FileName)
	t.row("id", f.FileID)
	t.row("owner", f.OwnerID)
	t.row("status", f.Status)
	t.row("created", dateTime(f.CreatedAt))
	t.row("updated", dateTime(f.UpdatedAt))
	t.field("error", f.ErrorMessage)
	if r := f.Result; r != nil {
		t.row("words", r.TotalWords)
		t.row("distinct", r.UniqueWords)
		t.row("length", fmt.Sprintf("%.2f on average", r.AvgWordLength))
		t.field("charset", decoding(r))
		for _, word := range r.Top10Words {
			t.field("top words", fmt.Sprintf("%s  %d", shown(word.Word), word.Count))
		}
	}
}

// decoding says how a text was decoded. It returns "" for results that do not contain it.
func decoding(r *client.Result) string {
	if r.Charset == "" {
		return ""
	}
	text := r.Charset + ", " + r.CharsetSource
	if r.IgnoredCharset != "" {
		text += fmt.Sprintf("; the declared %q does not apply", r.IgnoredCharset)
	}
	if r.Replaced > 0 {
		text += fmt.Sprintf("; %d invalid bytes replaced", r.Replaced)
	}
	return text
}
