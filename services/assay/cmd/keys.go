package cmd

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newKeys(s *settings) *cobra.Command {
	keys := item[client.Key]{
		settings: s, connect: s.operatorClient, none: "No API keys yet; create one with: assay keys create --owner OWNER",
		all:   func(c *client.Client, ctx context.Context) ([]client.Key, error) { return c.Keys(ctx, s.owner) },
		offer: func(k client.Key) string { return cobra.CompletionWithDesc(k.ID, k.Owner+"  "+k.Name) },
		heads: []any{"ID", "OWNER", "NAME", "STATUS", "ACCESS", "EXPIRES", "LAST USED"},
		cells: func(k client.Key) []any {
			access := strings.Join(k.Scopes, ",")
			if k.Operator {
				access += ",operator"
			}
			expires, used := cmp.Or(dateTime(k.ExpiresAt), "never"), cmp.Or(dateTime(k.LastUsedAt), "never")
			return []any{k.ID, k.Owner, k.Name, s.state(k.Status), access, expires, used}
		},
	}
	// A new key is printed as JSON, or only its token, for use in scripts.
	created := item[client.NewKey]{
		settings: s, connect: s.operatorClient,
		fields: func(t *columns, key client.NewKey) { t.row(key.Token) },
	}
	return s.operators(group(&cobra.Command{
		Use:   "keys",
		Short: "Create, list, rotate and revoke API keys",
		Long: `Create, list, rotate and revoke the API keys of a server with ASSAY_AUTH=token.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve". They require an operator's key in ASSAY_TOKEN. The
first one is printed by "assay serve --auth token" or "assay setup --operator-key".`,
	},
		newKeysCreate(created),
		keys.newAll(&cobra.Command{
			Use: "list", Short: "List the API keys, newest first",
			Long: "List the API keys of all owners, or of --owner, newest first.",
		}),
		newKeysRotate(created, keys.complete(1)),
		&cobra.Command{
			Use: "revoke ID", Short: "Revoke an API key", Args: cobra.ExactArgs(1), ValidArgsFunction: keys.complete(1),
			Long: "Revoke an API key. After 5 seconds no process accepts it. This cannot be undone.",
			RunE: with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, args []string) error {
				return c.RevokeKey(cmd.Context(), args[0])
			}),
		}), "8084")
}

func newKeysCreate(created item[client.NewKey]) *cobra.Command {
	var terms client.KeyTerms
	var expires time.Duration
	cmd := &cobra.Command{
		Use: "create --owner OWNER", Short: "Create an API key and print it", Args: cobra.NoArgs,
		Long: "Create an API key and print it. It cannot be shown again: the server stores only its hash.",
		Example: `  assay keys create --owner anna --name laptop
  assay keys create --owner backup --scope read --expires 2160h`,
	}
	flags := cmd.Flags()
	flags.StringVar(&terms.Name, "name", "", "purpose of the key")
	flags.StringSliceVar(&terms.Scopes, "scope", nil, "read or write (default both)")
	flags.BoolVar(&terms.Operator, "operator-role", false, "allow calls to the operator API")
	flags.DurationVar(&expires, "expires", 0, "lifetime of the key, such as 2160h (default unlimited)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if created.owner == "" {
			return usage("set the owner of the key with --owner")
		}
		return nil
	}
	return created.newSet(cmd, func(ctx context.Context, c *client.Client, _ []string) (client.NewKey, error) {
		terms.Owner = created.owner
		if expires != 0 {
			terms.ExpiresIn = expires.String()
		}
		return c.CreateKey(ctx, terms)
	})
}

func newKeysRotate(created item[client.NewKey], complete cobra.CompletionFunc) *cobra.Command {
	var grace time.Duration
	cmd := &cobra.Command{Use: "rotate ID", Short: "Replace the secret of an API key and print it"}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the previous secret is accepted, at most 24h")
	created.newShow(cmd, func(c *client.Client, ctx context.Context, id string) (client.NewKey, error) {
		return c.RotateKey(ctx, id, grace)
	})
	cmd.ValidArgsFunction = complete
	return cmd
}
