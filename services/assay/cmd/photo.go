package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newPhoto(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "photo",
		Short: "Describe and edit photos",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPhotoEdit(s), newPhotoList(s), newPhotoGet(s), newPhotoDownload(s), newPhotoRetry(s), newPhotoCancel(s), newPhotoDelete(s), newPhotoProviders(s))
	return cmd
}

func newPhotoList(s *settings) *cobra.Command {
	var status string
	var limit int
	var all bool
	statuses := []string{client.Queued, client.Processing, client.Editing, client.Completed, client.Failed}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your photos, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status = strings.ToUpper(status)
			if status != "" && !slices.Contains(statuses, status) {
				return &Usage{Err: fmt.Errorf("--status %s: must be one of %s", status, strings.Join(statuses, ", "))}
			}
			if limit < 1 {
				return &Usage{Err: fmt.Errorf("--limit %d: must be 1 or more", limit)}
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			page := 100 // maximum that the server accepts
			if !all {
				page = min(page, limit)
			}
			listed := 0
			for photo, err := range c.ListPhotos(cmd.Context(), client.Listing{Status: status, Limit: page}) {
				if err != nil {
					return err
				}
				if !all && listed == limit {
					note(cmd.ErrOrStderr(), "There are more; use --all or raise --limit.")
					return nil
				}
				if listed++; listed == 1 {
					if err := s.writeHeader(cmd.OutOrStdout(), "%-19s  %-26s  %-10s  %s", "CREATED", "ID", "STATUS", "PHOTO"); err != nil {
						return err
					}
				}
				if !s.json {
					_, err = fmt.Fprint(cmd.OutOrStdout(), photo.CreatedAt.Local().Format(time.DateTime), "  ")
				}
				if err = errors.Join(err, s.writePhoto(cmd.OutOrStdout(), photo)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&status, "status", "", "only photos with this status: "+strings.Join(statuses, ", "))
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of photos to list")
	cmd.Flags().BoolVar(&all, "all", false, "list all photos")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	complete := cobra.FixedCompletions(statuses, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("status", complete); err != nil {
		panic(err) // the flag does not exist
	}
	return cmd
}

func newPhotoGet(s *settings) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "get ID",
		Short: "Show a photo with its description and edit",
		Long: `Show a photo with its description and its edit.

With --wait, get waits until the photo is COMPLETED or FAILED. If it is FAILED, the exit
status is 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			var photo client.Photo
			if wait {
				photo, err = c.WaitPhoto(cmd.Context(), args[0])
			} else {
				photo, err = c.GetPhoto(cmd.Context(), args[0], 0)
			}
			if err != nil {
				return err
			}
			if s.json {
				err = writeJSON(cmd.OutOrStdout(), photo)
			} else {
				err = writePhotoFields(cmd.OutOrStdout(), photo)
			}
			if err == nil && wait && photo.Status == client.Failed {
				err = fmt.Errorf("the edit of %s failed", photo.JobID)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result")
	return cmd
}

// writePhoto writes a photo as one line.
func (s *settings) writePhoto(w io.Writer, p client.Photo) error {
	if s.json {
		return writeJSON(w, p)
	}
	_, err := fmt.Fprintf(w, "%s  %-10s  %s%s\n", p.JobID, p.Status, shown(p.OriginalFileName), photoOutcome(p))
	return err
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

// writePhotoFields writes all fields of a photo as readable text.
func writePhotoFields(w io.Writer, p client.Photo) error {
	var out strings.Builder
	field := func(name, format string, values ...any) { fmt.Fprintf(&out, name+"\t"+format+"\n", values...) }
	field("photo", "%s", shown(p.OriginalFileName))
	field("id", "%s", p.JobID)
	field("owner", "%s", shown(p.UserID))
	field("status", "%s", p.Status)
	field("created", "%s", p.CreatedAt.Local().Format(time.DateTime))
	field("updated", "%s", p.UpdatedAt.Local().Format(time.DateTime))
	if p.BatchID != "" {
		field("batch", "%s", p.BatchID)
	}
	if p.Prompt != "" {
		field("prompt", "%s", shown(p.Prompt))
	}
	if p.Error != nil {
		field("error", "%s: %s", p.Error.Code, shown(p.Error.Message))
	}
	if a := p.AnalysisResult; a != nil {
		field("shows", "%s", shown(a.Description))
		for i, label := range a.Labels {
			field(map[bool]string{true: "labels"}[i == 0], "%s  %.2f", shown(label.Name), label.Confidence)
		}
	}
	if e := p.EditResult; e != nil {
		field("edited", "%d × %d %s, %d bytes, by %s", e.Width, e.Height, e.Format, e.Size, shown(p.Provider))
	}
	if p.Degraded != "" {
		field("not done", "%s", shown(p.Degraded))
	}
	for i, call := range p.Calls {
		field(map[bool]string{true: "calls"}[i == 0], "%s  %s  %s  %s", call.At.Local().Format(time.DateTime), call.Step, shown(cmp.Or(call.Model, call.Provider)), call.Outcome)
	}
	return writeTable(w, out.String())
}
