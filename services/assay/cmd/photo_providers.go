package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/services/assay/client"
)

func newPhotoProviders(s *settings) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use:   "providers",
		Short: "List, show, configure and check the paid providers",
		Long: `List, show, configure and check the paid providers that describe and edit photos:
limits, budgets, models and prices.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve". The keys are environment variables of the analyzer.`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&operator, "operator", "", "operator address of the server, such as http://127.0.0.1:8087 [ASSAY_OPERATOR]")
	cmd.AddCommand(newProvidersList(s, &operator), newProvidersShow(s, &operator), newProvidersSet(s, &operator),
		newProvidersDefault(s, &operator), newProvidersCheck(s, &operator), newProvidersCosts(s, &operator))
	return cmd
}

func newProvidersList(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the paid providers with their state and costs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			all, err := c.PhotoProviders(cmd.Context())
			if err != nil {
				return err
			}
			if !s.json {
				return writeProviders(cmd.OutOrStdout(), all.Providers)
			}
			for _, provider := range all.Providers {
				if err := writeJSON(cmd.OutOrStdout(), provider); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func writeProviders(w io.Writer, all []client.PhotoProvider) error {
	var out strings.Builder
	row := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	row("NAME", "STATUS", "MODEL", "CALLS TODAY", "COST TODAY", "FALLBACK")
	for _, p := range all {
		row(p.Name, providerStatus(p), shown(p.EditModel), fmt.Sprintf("%d of %d", p.State.CallsToday, p.PerDay),
			fmt.Sprintf("%s of %s", dollars(p.State.CostToday), dollars(p.DailyBudget)), cmp.Or(strings.Join(p.Fallback, ", "), "none"))
	}
	return writeTable(w, out.String())
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

func newProvidersShow(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a paid provider", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			provider, err := c.PhotoProvider(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return s.writeProvider(cmd.OutOrStdout(), provider)
		},
	}
}

// writeProvider writes all fields of a provider.
func (s *settings) writeProvider(w io.Writer, p client.PhotoProvider) error {
	if s.json {
		return writeJSON(w, p)
	}
	var out strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s\t%s\n", name, shown(value))
		}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Local().Format(time.DateTime)
	}
	row("provider", p.Name)
	row("status", providerStatus(p))
	row("suspended", p.State.Suspended)
	row("held until", at(p.State.HeldUntil))
	row("breaker open until", at(p.State.OpenUntil))
	row("url", p.BaseURL)
	row("key variable", p.KeyVariable)
	if p.AnalyzeModel != "" {
		row("analyzes", fmt.Sprintf("%s, %s each, timeout %s", p.AnalyzeModel, dollars(p.AnalyzeMicros), p.AnalyzeTime))
	}
	row("edits", fmt.Sprintf("%s, %s each, timeout %s", p.EditModel, dollars(p.EditMicros), p.EditTime))
	row("price date", p.PriceDate)
	row("calls", fmt.Sprintf("%d of %d in progress, %d of %d today, at most %d per minute", p.State.Running, p.Concurrent, p.State.CallsToday, p.PerDay, p.PerMinute))
	row("cost", fmt.Sprintf("%s of %s today", dollars(p.State.CostToday), dollars(p.DailyBudget)))
	if len(p.Fallback) > 0 {
		row("fallback", fmt.Sprintf("%s, after %s", strings.Join(p.Fallback, ", "), p.FallbackAfter))
	}
	for i, day := range p.State.Days {
		row(map[bool]string{true: "days"}[i == 0], fmt.Sprintf("%s  %d calls  %s", day.Day, day.Calls, dollars(day.CostMicros)))
	}
	row("etag", p.ETag)
	return writeTable(w, out.String())
}

func newProvidersSet(s *settings, operator *string) *cobra.Command {
	var given client.PhotoProviderSettings
	var match string
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Change settings of a paid provider",
		Long: `Change some settings of a paid provider. Settings without a flag keep their value.
Changes take effect with the next call, including calls for photos that are waiting.
A suspended provider is tried again.

A concurrent change is not lost: the command applies its change on top of it. With --if-match
the change is applied only if the settings still have the etag that "show" printed.`,
		Example: `  assay photo providers set gemini --enabled --daily-budget-micros 5000000
  assay photo providers set gemini --fallback seedream,stub --fallback-after 5m
  assay photo providers set gemini --enabled=false`,
		Args: cobra.ExactArgs(1),
	}
	set := map[string]func(*client.PhotoProviderSettings){} // by flag name
	flags := cmd.Flags()
	flags.BoolVar(&given.Enabled, "enabled", true, "allow calls to the provider")
	set["enabled"] = func(p *client.PhotoProviderSettings) { p.Enabled = given.Enabled }
	flags.StringSliceVar(&given.Fallback, "fallback", nil, "providers to fall back to, in order of preference")
	set["fallback"] = func(p *client.PhotoProviderSettings) { p.Fallback = append([]string{}, given.Fallback...) }
	for _, f := range []struct {
		name, usage string
		of          func(*client.PhotoProviderSettings) *string
	}{
		{"url", "base URL of the API", func(p *client.PhotoProviderSettings) *string { return &p.BaseURL }},
		{"key-variable", "environment variable of the analyzer that contains the API key", func(p *client.PhotoProviderSettings) *string { return &p.KeyVariable }},
		{"analyze-model", "model for descriptions", func(p *client.PhotoProviderSettings) *string { return &p.AnalyzeModel }},
		{"edit-model", "model for edits", func(p *client.PhotoProviderSettings) *string { return &p.EditModel }},
		{"price-date", "date on which models and prices were last compared with the provider's documentation, such as 2026-11-22", func(p *client.PhotoProviderSettings) *string { return &p.PriceDate }},
		{"analyze-time", "timeout of a description, such as 30s", func(p *client.PhotoProviderSettings) *string { return &p.AnalyzeTime }},
		{"edit-time", "timeout of an edit, such as 2m", func(p *client.PhotoProviderSettings) *string { return &p.EditTime }},
		{"fallback-after", "time after which a waiting photo is passed to the fallback, such as 10m", func(p *client.PhotoProviderSettings) *string { return &p.FallbackAfter }},
	} {
		flags.StringVar(f.of(&given), f.name, "", f.usage)
		set[f.name] = func(p *client.PhotoProviderSettings) { *f.of(p) = *f.of(&given) }
	}
	for _, f := range []struct {
		name, usage string
		of          func(*client.PhotoProviderSettings) *int
	}{
		{"per-minute", "maximum number of calls per minute", func(p *client.PhotoProviderSettings) *int { return &p.PerMinute }},
		{"per-day", "maximum number of calls per day (UTC)", func(p *client.PhotoProviderSettings) *int { return &p.PerDay }},
		{"concurrent", "maximum number of concurrent calls", func(p *client.PhotoProviderSettings) *int { return &p.Concurrent }},
	} {
		flags.IntVar(f.of(&given), f.name, 0, f.usage)
		set[f.name] = func(p *client.PhotoProviderSettings) { *f.of(p) = *f.of(&given) }
	}
	for _, f := range []struct {
		name, usage string
		of          func(*client.PhotoProviderSettings) *int64
	}{
		{"analyze-micros", "maximum cost of one description, in millionths of a US dollar", func(p *client.PhotoProviderSettings) *int64 { return &p.AnalyzeMicros }},
		{"edit-micros", "maximum cost of one edit, in millionths of a US dollar", func(p *client.PhotoProviderSettings) *int64 { return &p.EditMicros }},
		{"daily-budget-micros", "maximum cost of all calls per day (UTC), in millionths of a US dollar", func(p *client.PhotoProviderSettings) *int64 { return &p.DailyBudget }},
	} {
		flags.Int64Var(f.of(&given), f.name, 0, f.usage)
		set[f.name] = func(p *client.PhotoProviderSettings) { *f.of(p) = *f.of(&given) }
	}
	flags.StringVar(&match, "if-match", "", "change only if the settings have this etag; * for any")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var changes []func(*client.PhotoProviderSettings)
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if change := set[f.Name]; change != nil {
				changes = append(changes, change)
			}
		})
		if len(changes) == 0 {
			return &Usage{Err: errors.New("specify at least one setting")}
		}
		c, err := s.operatorClient(*operator)
		if err != nil {
			return err
		}
		provider, err := setProvider(cmd.Context(), c, args[0], match, changes)
		if err != nil {
			return err
		}
		return s.writeProvider(cmd.OutOrStdout(), provider)
	}
	return cmd
}

// setProvider reads the settings of a provider and changes them. If match is set, it changes only the version with
// that ETag.
func setProvider(ctx context.Context, c *client.Client, name, match string, changes []func(*client.PhotoProviderSettings)) (client.PhotoProvider, error) {
	for try := 1; ; try++ {
		current, err := c.PhotoProvider(ctx, name)
		if err != nil {
			return current, err
		}
		next := current.PhotoProviderSettings
		for _, change := range changes {
			change(&next)
		}
		put, err := c.PutPhotoProvider(ctx, name, next, cmp.Or(match, current.ETag))
		if problemOf(err) != http.StatusPreconditionFailed || match != "" || try == setTries {
			return put, err
		}
	}
}
