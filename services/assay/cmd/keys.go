package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newKeys(s *settings) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Create, list, rotate and revoke API keys",
		Long: `Create, list, rotate and revoke the API keys of a server with ASSAY_AUTH=token.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve". They require an operator's key in ASSAY_TOKEN. The
first one is printed by "assay serve --auth token" or "assay setup --operator-key".`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&operator, "operator", "", "operator address of the server, such as http://127.0.0.1:8084 [ASSAY_OPERATOR]")
	cmd.AddCommand(newKeysCreate(s, &operator), newKeysList(s, &operator), newKeysRotate(s, &operator), newKeysRevoke(s, &operator))
	return cmd
}

func newKeysCreate(s *settings, operator *string) *cobra.Command {
	var terms client.KeyTerms
	var expires time.Duration
	cmd := &cobra.Command{
		Use: "create --owner OWNER", Short: "Create an API key and print it", Args: cobra.NoArgs,
		Long: "Create an API key and print it. It cannot be shown again: the server stores only its hash.",
		Example: `  assay keys create --owner anna --name laptop
  assay keys create --owner backup --scope read --expires 2160h`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.owner == "" {
				return &Usage{Err: fmt.Errorf("set the owner of the key with --owner")}
			}
			terms.Owner = s.owner
			if expires != 0 {
				terms.ExpiresIn = expires.String()
			}
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			key, err := c.CreateKey(cmd.Context(), terms)
			if err != nil {
				return err
			}
			return s.writeNewKey(cmd.OutOrStdout(), key)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&terms.Name, "name", "", "purpose of the key")
	flags.StringSliceVar(&terms.Scopes, "scope", nil, "read or write (default both)")
	flags.BoolVar(&terms.Operator, "operator-role", false, "allow calls to the operator API")
	flags.DurationVar(&expires, "expires", 0, "lifetime of the key, such as 2160h (default unlimited)")
	return cmd
}

// writeNewKey writes a new key as JSON, or only its token, for use in scripts.
func (s *settings) writeNewKey(w io.Writer, key client.NewKey) error {
	if s.json {
		return writeJSON(w, key)
	}
	_, err := fmt.Fprintln(w, key.Token)
	return err
}

func newKeysList(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the API keys, newest first", Args: cobra.NoArgs,
		Long: "List the API keys of all owners, or of --owner, newest first.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			keys, err := c.Keys(cmd.Context(), s.owner)
			if err != nil {
				return err
			}
			if !s.json {
				return writeKeys(cmd.OutOrStdout(), keys)
			}
			for _, key := range keys {
				if err := writeJSON(cmd.OutOrStdout(), key); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func writeKeys(w io.Writer, keys []client.Key) error {
	var out strings.Builder
	row := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	day := func(t time.Time, none string) string {
		if t.IsZero() {
			return none
		}
		return t.Local().Format(time.DateTime)
	}
	row("ID", "OWNER", "NAME", "STATUS", "ACCESS", "EXPIRES", "LAST USED")
	for _, k := range keys {
		access := strings.Join(k.Scopes, ",")
		if k.Operator {
			access += ",operator"
		}
		row(k.ID, shown(k.Owner), shown(k.Name), k.Status, access, day(k.ExpiresAt, "never"), day(k.LastUsedAt, "never"))
	}
	return writeTable(w, out.String())
}

func newKeysRotate(s *settings, operator *string) *cobra.Command {
	var grace time.Duration
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Replace the secret of an API key and print it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			key, err := c.RotateKey(cmd.Context(), args[0], grace)
			if err != nil {
				return err
			}
			return s.writeNewKey(cmd.OutOrStdout(), key)
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the previous secret is accepted, at most 24h")
	return cmd
}

func newKeysRevoke(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key", Args: cobra.ExactArgs(1),
		Long: "Revoke an API key. After 5 seconds no process accepts it. This cannot be undone.",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			return c.RevokeKey(cmd.Context(), args[0])
		},
	}
}
