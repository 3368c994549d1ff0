package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newPhotoRetry(s *settings) *cobra.Command {
	var prompt string
	cmd := &cobra.Command{
		Use:   "retry ID…",
		Short: "Edit FAILED photos again",
		Args:  cobra.MinimumNArgs(1),
	}
	cmd.Flags().StringVar(&prompt, "prompt", "", "new prompt (default: the previous one)")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		var change client.PhotoChange
		if cmd.Flags().Changed("prompt") {
			change.Prompt = &prompt
		}
		return eachPhoto(cmd, s, ids, func(c *client.Client, id string) (client.Photo, error) {
			return c.RetryPhoto(cmd.Context(), id, change)
		})
	}
	return cmd
}

func newPhotoCancel(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel ID…",
		Short: "Cancel photos that are not edited yet; they become FAILED",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return eachPhoto(cmd, s, ids, func(c *client.Client, id string) (client.Photo, error) {
				return c.CancelPhoto(cmd.Context(), id)
			})
		},
	}
}

// eachPhoto changes each of several photos and writes its new state.
func eachPhoto(cmd *cobra.Command, s *settings, ids []string, change func(*client.Client, string) (client.Photo, error)) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	return each(cmd, s, ids, func(id string) error {
		photo, err := change(c, id)
		if err != nil {
			return err
		}
		return s.writePhoto(cmd.OutOrStdout(), photo)
	})
}

func newPhotoDelete(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete photos with their originals and edits",
		Long:  `Delete photos with their originals and edits. A missing photo is not an error.`,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			return each(cmd, s, ids, func(id string) error {
				if err := c.DeletePhoto(cmd.Context(), id); err != nil {
					return err
				}
				if s.json {
					return writeJSON(cmd.OutOrStdout(), deletedPhoto{JobID: id, Deleted: true})
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  deleted\n", id)
				return err
			})
		},
	}
}

type deletedPhoto struct {
	JobID   string `json:"jobId"`
	Deleted bool   `json:"deleted"`
}

func newPhotoDownload(s *settings) *cobra.Command {
	var output string
	var original bool
	cmd := &cobra.Command{
		Use:   "download ID",
		Short: "Download the edited photo, or the original",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c, err := s.client()
			if err != nil {
				return err
			}
			variant := client.EditedPhoto
			if original {
				variant = client.OriginalPhoto
			}
			content, err := c.DownloadPhoto(cmd.Context(), args[0], variant)
			if err != nil {
				return err
			}
			return writeContent(cmd, output, content)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to instead of standard output")
	cmd.Flags().BoolVar(&original, "original", false, "download the original instead")
	return cmd
}
