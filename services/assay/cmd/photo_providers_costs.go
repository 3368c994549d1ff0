package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newProvidersDefault(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "default [NAME]", Short: "Show or change the default provider",
		Long: `Show or change the provider of photos that do not name one: a paid provider, or stub,
the local provider. The local provider is used while the default is disabled and has no
fallback.`,
		Args: cobra.MaximumNArgs(1),
		RunE: with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, args []string) error {
			all, err := untilUnchanged("", func() (client.PhotoProviderList, error) {
				all, err := c.PhotoProviders(cmd.Context())
				if err != nil || len(args) == 0 {
					return all, err
				}
				return c.PutDefaultPhotoProvider(cmd.Context(), args[0], all.ETag)
			})
			switch {
			case err != nil:
				return err
			case s.json:
				return writeJSON(cmd.OutOrStdout(), map[string]string{"default": all.Default})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), shown(all.Default))
			return err
		}),
	}
}

func newProvidersCheck(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "check NAME", Short: "Check whether a paid provider accepts the key",
		Long: `Check whether a paid provider accepts the key. The command makes one free call, even
while the provider is disabled. The analyzer has the keys: without "assay serve",
--operator is the operator address of an analyzer.`,
		Args: cobra.ExactArgs(1),
		RunE: with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, args []string) error {
			found, err := c.CheckPhotoProvider(cmd.Context(), args[0])
			switch {
			case err != nil:
				return err
			case s.json:
				err = writeJSON(cmd.OutOrStdout(), found)
			case found.OK:
				name, model := shown(found.Name), shown(found.Model)
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s accepts the key (%s, %d ms)\n", name, model, found.Millis)
			}
			if err == nil && !found.OK {
				err = fmt.Errorf("%s: %s: %s", found.Name, found.Code, found.Detail)
			}
			return err
		}),
	}
}

func newProvidersCosts(s *settings) *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "costs", Short: "List the calls and costs of paid providers by day",
		Long: `List the calls and costs of paid providers by day (UTC), for the current month by
default. Costs are never lower than the billed amounts. Figures are kept for 62 days.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&from, "from", "", "first day, such as 2026-11-01")
	cmd.Flags().StringVar(&to, "to", "", "last day")
	costs := item[client.PhotoCosts]{settings: s, connect: s.operatorClient, fields: costsFields}
	return costs.newSet(cmd, func(ctx context.Context, c *client.Client, _ []string) (client.PhotoCosts, error) {
		return c.PhotoCosts(ctx, from, to)
	})
}

func costsFields(t *columns, costs client.PhotoCosts) {
	t.row("DAY", "PROVIDER", "CALLS", "COST")
	for _, p := range costs.Providers {
		for _, day := range p.Days {
			t.row(day.Day, p.Name, day.Calls, dollars(day.CostMicros))
		}
	}
	t.row("total", shown(costs.From)+" to "+shown(costs.To), costs.Calls, dollars(costs.CostMicros))
}
