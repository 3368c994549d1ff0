package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// photos describes photos.
func (s *settings) photos() item[client.Photo] {
	return item[client.Photo]{
		settings: s, connect: s.client, noun: "photo", listed: "assay photo list", isID: photoID.MatchString,
		none: "No photos yet; add one with: assay photo edit FILE",
		offer: func(p client.Photo) string {
			return cobra.CompletionWithDesc(p.JobID, p.Status+"  "+shown(p.OriginalFileName))
		},
		heads: []any{"ID", "STATUS", "PHOTO"}, layout: "%-26s  %-10s  %s",
		cells: func(p client.Photo) []any {
			return []any{p.JobID, s.state(p.Status), shown(p.OriginalFileName) + photoOutcome(p)}
		},
		created:  func(p client.Photo) time.Time { return p.CreatedAt },
		fields:   photoFields,
		list:     (*client.Client).ListPhotos,
		perPage:  100, // the server accepts no more
		statuses: []string{client.Queued, client.Processing, client.Editing, client.Completed, client.Failed},
		get:      (*client.Client).GetPhoto,
		wait:     (*client.Client).WaitPhoto,
		failed: func(p client.Photo) error {
			if p.Status == client.Failed {
				return fmt.Errorf("the edit of %s failed", p.JobID)
			}
			return nil
		},
		delete:  (*client.Client).DeletePhoto,
		deleted: func(id string) deletedLine { return deletedLine{JobID: id, Deleted: true} },
	}
}

func newPhoto(s *settings) *cobra.Command {
	photos := s.photos()
	return group(&cobra.Command{Use: "photo", Short: "Describe and edit photos"},
		newPhotoEdit(s),
		photos.newList(&cobra.Command{Use: "list", Short: "List your photos, newest first"}),
		photos.newGet(&cobra.Command{
			Use: "get ID", Short: "Show a photo with its description and edit",
			Long: "Show a photo with its description and its edit.",
		}),
		newPhotoExplain(s), newPhotoDownload(s), newPhotoURL(s), newPhotoRetry(s),
		photos.newEach(&cobra.Command{
			Use: "cancel ID…", Short: "Cancel photos that are not edited yet; they become FAILED",
		}, (*client.Client).CancelPhoto),
		photos.newDelete(&cobra.Command{
			Use: "delete ID…", Short: "Delete photos with their originals and edits",
			Long: "Delete photos with their originals and edits. A missing photo is not an error.",
		}),
		newPhotoProviders(s))
}

func newPhotoRetry(s *settings) *cobra.Command {
	var prompt string
	cmd := &cobra.Command{Use: "retry ID…", Short: "Edit FAILED photos again"}
	cmd.Flags().StringVar(&prompt, "prompt", "", "new prompt (default: the previous one)")
	return s.photos().newEach(cmd, func(c *client.Client, ctx context.Context, id string) (client.Photo, error) {
		var change client.PhotoChange
		if cmd.Flags().Changed("prompt") {
			change.Prompt = &prompt
		}
		return c.RetryPhoto(ctx, id, change)
	})
}

func newPhotoDownload(s *settings) *cobra.Command {
	var original bool
	var result int
	photos := s.photos()
	cmd := &cobra.Command{Use: "download ID", Short: "Download the edited photo, or the original", ValidArgsFunction: photos.complete(1)}
	cmd.Flags().BoolVar(&original, "original", false, "download the original instead")
	cmd.Flags().IntVar(&result, "also", 0, "download a further result of the edit instead, from 1")
	cmd.MarkFlagsMutuallyExclusive("original", "also")
	return s.newDownload(cmd, photos.checked(func(c *client.Client, ctx context.Context, id string) (io.ReadCloser, error) {
		if original {
			return c.DownloadPhoto(ctx, id, client.OriginalPhoto)
		}
		if result > 0 {
			return c.DownloadPhotoOutput(ctx, id, result)
		}
		return c.DownloadPhoto(ctx, id, client.EditedPhoto)
	}))
}

// photoOutcome summarizes the result of a photo. It returns "" until there is one.
func photoOutcome(p client.Photo) string {
	switch {
	case p.Status == client.Failed && p.Error != nil:
		return "  (" + shown(p.Error.Message) + ")"
	case p.EditResult == nil:
		return ""
	}
	text := fmt.Sprintf("%d × %d %s", p.EditResult.Width, p.EditResult.Height, p.EditResult.Format)
	if p.Degraded != "" {
		text += "; " + shown(p.Degraded)
	}
	return "  (" + text + ")"
}

func photoFields(t *columns, p client.Photo) {
	t.row("photo", p.OriginalFileName)
	t.row("id", p.JobID)
	t.row("owner", p.UserID)
	t.row("status", p.Status)
	t.row("created", dateTime(p.CreatedAt))
	t.row("updated", dateTime(p.UpdatedAt))
	t.field("batch", p.BatchID)
	t.field("prompt", p.Prompt)
	if p.Error != nil {
		t.field("error", p.Error.Code+": "+shown(p.Error.Message))
	}
	if a := p.AnalysisResult; a != nil {
		t.row("shows", a.Description)
		for _, label := range a.Labels {
			t.field("labels", fmt.Sprintf("%s  %.2f", shown(label.Name), label.Confidence))
		}
	}
	if e := p.EditResult; e != nil {
		t.field("edited", fmt.Sprintf("%d × %d %s, %d bytes, by %s", e.Width, e.Height, e.Format, e.Size, shown(p.Provider)))
	}
	t.field("not done", p.Degraded)
	for _, call := range p.Calls {
		model := shown(cmp.Or(call.Model, call.Provider))
		t.field("calls", strings.Join([]string{dateTime(call.At), call.Step, model, call.Outcome}, "  "))
	}
}
