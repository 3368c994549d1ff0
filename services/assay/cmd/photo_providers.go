package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/services/assay/client"
)

func newPhotoProviders(s *settings) *cobra.Command {
	providers := item[client.PhotoProvider]{
		settings: s, connect: s.operatorClient,
		heads:  []any{"NAME", "STATUS", "MODEL", "CALLS TODAY", "COST TODAY", "FALLBACK"},
		cells:  func(p client.PhotoProvider) []any { return providerCells(s, p) },
		fields: providerFields,
		all: func(c *client.Client, ctx context.Context) ([]client.PhotoProvider, error) {
			all, err := c.PhotoProviders(ctx)
			return all.Providers, err
		},
		offer: func(p client.PhotoProvider) string { return cobra.CompletionWithDesc(p.Name, providerStatus(p)) },
	}
	return s.operators(group(&cobra.Command{
		Use:   "providers",
		Short: "List, show, configure and check the paid providers",
		Long: `List, show, configure and check the paid providers that describe and edit photos:
limits, budgets, models and prices.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve". The keys are environment variables of the analyzer.`,
	},
		providers.newAll(&cobra.Command{Use: "list", Short: "List the paid providers with their state and costs"}),
		providers.newShow(&cobra.Command{Use: "show NAME", Short: "Show a paid provider"}, (*client.Client).PhotoProvider),
		newProvidersSet(providers), newProvidersDefault(s), newProvidersCheck(s), newProvidersCosts(s)), "8087")
}

func providerCells(s *settings, p client.PhotoProvider) []any {
	calls := fmt.Sprintf("%d of %d", p.State.CallsToday, p.PerDay)
	cost := fmt.Sprintf("%s of %s", dollars(p.State.CostToday), dollars(p.DailyBudget))
	return []any{p.Name, s.state(providerStatus(p)), p.EditModel, calls, cost, cmp.Or(strings.Join(p.Fallback, ", "), "none")}
}

// providerStatus returns the state in one word.
func providerStatus(p client.PhotoProvider) string {
	switch {
	case !p.Enabled:
		return "disabled"
	case p.State.Suspended != "":
		return "suspended"
	case !p.State.OpenUntil.IsZero() || !p.State.HeldUntil.IsZero():
		return "held"
	}
	return "enabled"
}

// dollars formats millionths of a US dollar.
func dollars(micros int64) string {
	text := strings.TrimRight(fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000), "0")
	for len(text)-strings.IndexByte(text, '.') <= 2 {
		text += "0"
	}
	return "$" + text
}

func providerFields(t *columns, p client.PhotoProvider) {
	t.field("provider", p.Name)
	t.field("status", providerStatus(p))
	t.field("suspended", p.State.Suspended)
	t.field("held until", dateTime(p.State.HeldUntil))
	t.field("breaker open until", dateTime(p.State.OpenUntil))
	t.field("url", p.BaseURL)
	t.field("key variable", p.KeyVariable)
	if p.AnalyzeModel != "" {
		t.field("analyzes", fmt.Sprintf("%s, %s each, timeout %s", p.AnalyzeModel, dollars(p.AnalyzeMicros), p.AnalyzeTime))
	}
	t.field("edits", fmt.Sprintf("%s, %s each, timeout %s", p.EditModel, dollars(p.EditMicros), p.EditTime))
	t.field("price date", p.PriceDate)
	t.field("calls", fmt.Sprintf("%d of %d in progress, %d of %d today, at most %d per minute",
		p.State.Running, p.Concurrent, p.State.CallsToday, p.PerDay, p.PerMinute))
	t.field("cost", fmt.Sprintf("%s of %s today", dollars(p.State.CostToday), dollars(p.DailyBudget)))
	if len(p.Fallback) > 0 {
		t.field("fallback", fmt.Sprintf("%s, after %s", strings.Join(p.Fallback, ", "), p.FallbackAfter))
	}
	for _, day := range p.State.Days {
		t.field("days", fmt.Sprintf("%s  %d calls  %s", day.Day, day.Calls, dollars(day.CostMicros)))
	}
	t.field("etag", p.ETag)
}

func newProvidersSet(providers item[client.PhotoProvider]) *cobra.Command {
	given := client.PhotoProviderSettings{Enabled: true}
	var match string
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Change settings of a paid provider",
		Long: `Change some settings of a paid provider. Settings without a flag keep their value.
Changes take effect with the next call, including calls for photos that are waiting.
A suspended provider is tried again.

A concurrent change is not lost: the command applies its change on top of it. With --if-match
the change is applied only if the settings still have the etag that "show" printed.`,
		Example: `  assay photo providers set gemini --enabled --daily-budget-micros 5000000
  assay photo providers set gemini --fallback seedream,local --fallback-after 5m
  assay photo providers set gemini --enabled=false`,
		Args: cobra.ExactArgs(1), PreRunE: someGiven,
	}
	flags := cmd.Flags()
	providerFlags(flags, &given)
	flags.StringVar(&match, "if-match", "", "change only if the settings have this etag; * for any")
	return providers.newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.PhotoProvider, error) {
		return untilUnchanged(match, func() (client.PhotoProvider, error) {
			current, err := c.PhotoProvider(ctx, args[0])
			next := current.PhotoProviderSettings
			if err == nil {
				err = apply(flags, providerFlags, &next)
			}
			if err != nil {
				return current, err
			}
			return c.PutPhotoProvider(ctx, args[0], next, cmp.Or(match, current.ETag))
		})
	})
}

// providerFlags adds the flags of the settings of a provider.
func providerFlags(flags *pflag.FlagSet, s *client.PhotoProviderSettings) {
	flags.BoolVar(&s.Enabled, "enabled", s.Enabled, "allow calls to the provider")
	flags.StringSliceVar(&s.Fallback, "fallback", s.Fallback, "providers to fall back to, in order of preference")
	flags.StringVar(&s.BaseURL, "url", s.BaseURL, "base URL of the API")
	flags.StringVar(&s.KeyVariable, "key-variable", s.KeyVariable,
		"environment variable of the analyzer that contains the API key")
	flags.StringVar(&s.AnalyzeModel, "analyze-model", s.AnalyzeModel, "model for descriptions")
	flags.StringVar(&s.EditModel, "edit-model", s.EditModel, "model for edits")
	flags.StringVar(&s.PriceDate, "price-date", s.PriceDate,
		"date on which models and prices were last compared with the provider's documentation, such as 2026-11-22")
	flags.StringVar(&s.AnalyzeTime, "analyze-time", s.AnalyzeTime, "timeout of a description, such as 30s")
	flags.StringVar(&s.EditTime, "edit-time", s.EditTime, "timeout of an edit, such as 2m")
	flags.StringVar(&s.FallbackAfter, "fallback-after", s.FallbackAfter,
		"time after which a waiting photo is passed to the fallback, such as 10m")
	flags.IntVar(&s.PerMinute, "per-minute", s.PerMinute, "maximum number of calls per minute")
	flags.IntVar(&s.PerDay, "per-day", s.PerDay, "maximum number of calls per day (UTC)")
	flags.IntVar(&s.Concurrent, "concurrent", s.Concurrent, "maximum number of concurrent calls")
	flags.Int64Var(&s.AnalyzeMicros, "analyze-micros", s.AnalyzeMicros,
		"maximum cost of one description, in millionths of a US dollar")
	flags.Int64Var(&s.EditMicros, "edit-micros", s.EditMicros,
		"maximum cost of one edit, in millionths of a US dollar")
	flags.Int64Var(&s.DailyBudget, "daily-budget-micros", s.DailyBudget,
		"maximum cost of all calls per day (UTC), in millionths of a US dollar")
}

func newProvidersDefault(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "default [NAME]", Short: "Show or change the default provider",
		Long: `Show or change the provider of photos that do not name one: a paid provider, or local.
The local provider is used while the default is disabled and has no fallback.`,
		Args: cobra.MaximumNArgs(1),
		RunE: with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, args []string) error {
			all, err := untilUnchanged("", func() (client.PhotoProviderList, error) {
				all, err := c.PhotoProviders(cmd.Context())
				if err != nil || len(args) == 0 {
					return all, err
				}
				return c.PutDefaultPhotoProvider(cmd.Context(), args[0], all.ETag)
			})
			if err != nil {
				return err
			}
			return s.write(cmd.OutOrStdout(), map[string]string{"default": all.Default}, "%s\n", shown(all.Default))
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
