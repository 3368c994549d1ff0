package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newPhotoExplain(s *settings) *cobra.Command {
	var options client.PhotoOptions
	cmd := &cobra.Command{
		Use: "explain PROMPT", Short: "Show what a prompt does, without a photo",
		Long: `Show the steps of the local provider for a prompt, the parts that are not understood,
and the nearest prompt that is understood. Other providers interpret prompts themselves.
Exit status: 0, or 1 if nothing is understood.`,
		Example: `  assay photo explain "make it a bit brighter, crop to square and save as webp"`,
		Args:    cobra.ExactArgs(1),
		RunE: with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
			plan, err := c.ExplainPhoto(cmd.Context(), args[0], options)
			switch {
			case err != nil:
				return err
			case s.json:
				err = writeJSON(cmd.OutOrStdout(), plan)
			default:
				err = writePlan(cmd.OutOrStdout(), plan)
			}
			if err == nil && len(plan.Steps) == 0 {
				err = fmt.Errorf("nothing is understood: %s", strings.Join(plan.Unknown, "; "))
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&options.Format, "format", "", "format of the result unless the prompt names one: jpeg, png or webp")
	flags.IntVar(&options.Width, "width", 0, "maximum width in pixels unless the prompt resizes")
	flags.IntVar(&options.Height, "height", 0, "maximum height in pixels unless the prompt resizes")
	return cmd
}

// writePlan writes numbered steps, the unknown parts, and the suggestion.
func writePlan(w io.Writer, plan client.PhotoPlan) error {
	var text strings.Builder
	for i, step := range plan.Steps {
		fmt.Fprintf(&text, "%d. %s\n", i+1, shown(step.Description))
	}
	for _, part := range plan.Unknown {
		fmt.Fprintf(&text, "not understood: %s\n", shown(part))
	}
	if plan.Suggestion != "" {
		fmt.Fprintf(&text, "did you mean: %s\n", shown(plan.Suggestion))
	}
	_, err := io.WriteString(w, text.String())
	return err
}
