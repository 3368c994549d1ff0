package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newPhotoURL(s *settings) *cobra.Command {
	var r client.Rendition
	var valid time.Duration
	cmd := &cobra.Command{
		Use:   "url ID",
		Short: "Create a URL that shows a photo in a size, shape and format",
		Long: `Create a URL under which everyone can load the edited photo in a size, shape and
format, without a credential, until it expires. A photo is never enlarged.`,
		Example: `  assay photo url ID --width 800 --format webp --expires 24h
  assay photo url ID --width 400 --height 400 --cover --gravity north`,
		Args: cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.IntVar(&r.Width, "width", 0, "maximum width in pixels")
	flags.IntVar(&r.Height, "height", 0, "maximum height in pixels")
	flags.BoolVar(&r.Cover, "cover", false, "crop the photo so that it fills width and height")
	flags.StringVar(&r.AspectRatio, "aspect-ratio", "", "crop the photo to a ratio such as 16:9")
	flags.StringVar(&r.Gravity, "gravity", "", "the part that a crop keeps, such as north or southeast (default: center)")
	flags.IntVar(&r.Quality, "quality", 0, "quality of a jpeg or webp, 1 to 100 (default: 85 for jpeg, 80 for webp)")
	flags.StringVar(&r.Format, "format", "jpeg", "format: jpeg, png or webp")
	flags.BoolVar(&r.Original, "original", false, "show the original instead of the edited photo")
	flags.DurationVar(&valid, "expires", 24*time.Hour, "lifetime of the URL, at most 2160h")
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		signed, err := c.SignPhotoURL(cmd.Context(), args[0], r, valid)
		if err != nil {
			return err
		}
		return s.write(cmd.OutOrStdout(), signed, "%s\nvalid until %s\n", signed.URL, dateTime(signed.ExpiresAt))
	})
	return cmd
}
