package cmd

import "github.com/spf13/cobra"

// ownerLine is the JSON line of an owner.
type ownerLine struct {
	Owner string `json:"owner"`
}

func newOwner(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "owner",
		Short: "Print the owner of your files",
		Long: `Print the owner of your files: --owner, else ASSAY_OWNER, else that of the profile, else
an id that is generated once. HTTP requests name it in X-Owner-Id. The web app of an
"assay serve" that you started uses it in browsers on the same machine. On a server with
ASSAY_AUTH=token the API key determines the owner instead.`,
		Example: `  curl -H "X-Owner-Id: $(assay owner)" -F file=@fish.txt http://127.0.0.1:8080/v1/files`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			owner, err := s.findOwner()
			if err != nil {
				return err
			}
			return s.write(cmd.OutOrStdout(), ownerLine{owner}, "%s\n", owner)
		},
	}
}
