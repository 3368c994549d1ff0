package cmd

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newProvidersDefault(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "default [NAME]", Short: "Show or change the default provider",
		Long: `Show or change the provider of photos that do not name one: a paid provider, or stub,
the local provider. The local provider is used while the default is disabled and has no
fallback.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			all, err := c.PhotoProviders(cmd.Context())
			if err == nil && len(args) > 0 {
				all, err = setDefaultProvider(cmd.Context(), c, args[0], all)
			}
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), map[string]string{"default": all.Default})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), shown(all.Default))
			return err
		},
	}
}

// setDefaultProvider changes the default provider. It retries after concurrent changes.
func setDefaultProvider(ctx context.Context, c *client.Client, name string, seen client.PhotoProviderList) (client.PhotoProviderList, error) {
	for try := 1; ; try++ {
		put, err := c.PutDefaultPhotoProvider(ctx, name, seen.ETag)
		if problemOf(err) != http.StatusPreconditionFailed || try == setTries {
			return put, err
		}
		if seen, err = c.PhotoProviders(ctx); err != nil {
			return seen, err
		}
	}
}

func newProvidersCheck(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "check NAME", Short: "Check whether a paid provider accepts the key",
		Long: `Check whether a paid provider accepts the key. The command makes one free call, even
while the provider is disabled. The analyzer has the keys: without "assay serve",
--operator is the operator address of an analyzer.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			found, err := c.CheckPhotoProvider(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			switch {
			case s.json:
				err = writeJSON(cmd.OutOrStdout(), found)
			case found.OK:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s accepts the key (%s, %d ms)\n", shown(found.Name), shown(found.Model), found.Millis)
			}
			if err == nil && !found.OK {
				err = fmt.Errorf("%s: %s: %s", found.Name, found.Code, found.Detail)
			}
			return err
		},
	}
}

func newProvidersCosts(s *settings, operator *string) *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "costs", Short: "List the calls and costs of paid providers by day",
		Long: `List the calls and costs of paid providers by day (UTC), for the current month by
default. Costs are never lower than the billed amounts. Figures are kept for 62 days.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			costs, err := c.PhotoCosts(cmd.Context(), from, to)
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), costs)
			}
			var out strings.Builder
			row := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
			row("DAY", "PROVIDER", "CALLS", "COST")
			for _, p := range costs.Providers {
				for _, day := range p.Days {
					row(shown(day.Day), shown(p.Name), strconv.Itoa(day.Calls), dollars(day.CostMicros))
				}
			}
			row("total", shown(costs.From)+" to "+shown(costs.To), strconv.Itoa(costs.Calls), dollars(costs.CostMicros))
			return writeTable(cmd.OutOrStdout(), out.String())
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "first day, such as 2026-11-01")
	cmd.Flags().StringVar(&to, "to", "", "last day")
	return cmd
}
