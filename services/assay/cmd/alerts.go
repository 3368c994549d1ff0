package cmd

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/services/assay/client"
)

func newAlerts(s *settings) *cobra.Command {
	alerts := item[client.FeedAlert]{
		settings: s, connect: s.client,
		heads:  []any{"NAME", "KIND", "STATUS", "SINCE", "VALUE", "FIRES AT", "ITEMS OF"},
		fields: alertFields, all: (*client.Client).FeedAlerts,
		none:  "No alerts yet; add one with: assay alerts set NAME",
		cells: func(a client.FeedAlert) []any { return alertCells(s, a) },
		offer: func(a client.FeedAlert) string { return cobra.CompletionWithDesc(a.Name, a.Kind+"  "+a.State.Status) },
	}
	return s.operators(group(&cobra.Command{
		Use:   "alerts",
		Short: "List, show, add, change and remove the alerts of the feed",
		Long: `List, show, add, change and remove the alerts of the feed. An alert fires when items
match a tag or a keyword, when there are more items than usual, when many of them are
negative, or when there are none. It is evaluated once a minute.

"set" and "delete" also call the server's operator address: --operator, else
ASSAY_OPERATOR, else that of a running "assay serve".`,
	},
		alerts.newAll(&cobra.Command{Use: "list", Short: "List the alerts and their state"}),
		alerts.newShow(&cobra.Command{Use: "show NAME", Short: "Show an alert, and what made it fire"}, (*client.Client).FeedAlert),
		newAlertsSet(alerts), newAlertsDelete(alerts)), "8087")
}

func alertCells(s *settings, a client.FeedAlert) []any {
	value, limit := "", ""
	if state := a.State; !state.EvaluatedAt.IsZero() {
		value, limit = measured(a, state.Value), measured(a, state.Limit)
	}
	return []any{a.Name, a.Kind, s.state(strings.ToUpper(a.State.Status)), dateTime(a.State.Since), value, limit, alertScope(a)}
}

// alertScope describes the items that an alert considers.
func alertScope(a client.FeedAlert) string {
	var parts []string
	for name, value := range map[string]string{"tag": a.Tag, "source": a.Source, "source type": a.SourceType} {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	if a.Keyword != "" {
		parts = append(parts, fmt.Sprintf("keyword %q", a.Keyword))
	}
	return cmp.Or(strings.Join(parts, ", "), "all items")
}

// measured formats a value in the unit of an alert.
func measured(a client.FeedAlert, value float64) string {
	switch a.Kind {
	case "negative":
		return fmt.Sprintf("%.0f%% negative", 100*value)
	case "silent":
		return fmt.Sprintf("%.0f min silent", value)
	}
	return fmt.Sprintf("%.4g items", value)
}

func alertFields(t *columns, a client.FeedAlert) {
	t.field("alert", a.Name)
	t.field("kind", a.Kind)
	t.field("items of", alertScope(a))
	t.field("window", a.Window)
	switch a.Kind {
	case "match":
		t.field("fires at", measured(a, a.Threshold))
	case "volume":
		t.field("fires at", fmt.Sprintf("%.4g times the usual number, at least %d items", a.Threshold, a.MinItems))
	case "negative":
		t.field("fires at", fmt.Sprintf("%s, of at least %d items", measured(a, a.Threshold), a.MinItems))
	case "silent":
		t.field("fires at", fmt.Sprintf("no item in the window, where at least %d are usual", a.MinItems))
	}
	if a.Resolve > 0 {
		resolve := measured(a, a.Resolve)
		if a.Kind == "volume" {
			resolve = fmt.Sprintf("%.4g times the usual number", a.Resolve)
		}
		t.field("resolves below", resolve)
	}
	t.field("fires after", a.FireAfter)
	t.field("resolves after", a.ResolveAfter)
	if !a.Enabled {
		t.field("enabled", "no")
	}
	alertStateFields(t, a)
	t.field("etag", a.ETag)
}

func alertStateFields(t *columns, a client.FeedAlert) {
	state := a.State
	if state.Status == "" { // the answer to a change
		return
	}
	status := strings.ToUpper(state.Status)
	if since := dateTime(state.Since); since != "" {
		status += " since " + since
	}
	t.field("status", status)
	if !state.EvaluatedAt.IsZero() {
		value := fmt.Sprintf("%s, fires at %s", measured(a, state.Value), measured(a, state.Limit))
		if state.Usual != nil {
			value += fmt.Sprintf(", usual %.4g items", *state.Usual)
		}
		t.field("value", value)
		t.field("waiting", state.Waiting)
		t.field("evaluated", dateTime(state.EvaluatedAt))
	}
	if len(state.Words) > 0 {
		words := make([]string, len(state.Words))
		for i, w := range state.Words {
			words[i] = fmt.Sprintf("%s (%d)", w.Word, w.Count)
		}
		t.field("words", strings.Join(words, ", "))
	}
	for _, i := range state.Items {
		t.field("caused by", fmt.Sprintf("%s  %s", i.ID, i.Text))
	}
}

func newAlertsDelete(s item[client.FeedAlert]) *cobra.Command {
	var match string
	cmd := &cobra.Command{Use: "delete NAME", Short: "Delete an alert; a firing one resolves", Args: cobra.ExactArgs(1), ValidArgsFunction: s.complete(1)}
	cmd.Flags().StringVar(&match, "if-match", "", "delete only if the alert has this etag; * for any")
	cmd.RunE = with(s.operatorClient, func(cmd *cobra.Command, operator *client.Client, args []string) error {
		if match == "" {
			c, err := s.client()
			if err != nil {
				return err
			}
			alert, err := c.FeedAlert(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			match = alert.ETag
		}
		if err := operator.DeleteFeedAlert(cmd.Context(), args[0], match); err != nil {
			return err
		}
		return s.writeDeleted(cmd.OutOrStdout(), deletedLine{Name: args[0], Deleted: true})
	})
	return cmd
}

func newAlertsSet(alerts item[client.FeedAlert]) *cobra.Command {
	given := client.FeedAlertSettings{Enabled: true}
	var match string
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Add an alert or change some of its settings",
		Long: `Add an alert, or change some of its settings. Settings without a flag keep their value, or
have the server's default in a new alert. A change of the kind resets the window and the
thresholds, and a change of the threshold the value below which the alert resolves.

A concurrent change is not lost: the command applies its change on top of it. With --if-match
the change is applied only if the alert still has the etag that "show" printed.`,
		Example: `  assay alerts set outage --kind match --keyword outage --threshold 3
  assay alerts set busy --kind volume --tag solar --threshold 4 --window 30m
  assay alerts set mood --kind negative --threshold 0.6 --min-items 30
  assay alerts set wire --kind silent --source wire --window 3h
  assay alerts set wire --enabled=false`,
	}
	flags := cmd.Flags()
	alertFlags(flags, &given)
	flags.StringVar(&match, "if-match", "", "change only if the alert has this etag; * for any")
	cmd.Args = cobra.MatchAll(someGiven, cobra.ExactArgs(1))
	return alerts.newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.FeedAlert, error) {
		operator, err := alerts.operatorClient()
		if err != nil {
			return client.FeedAlert{}, err
		}
		return untilUnchanged(match, func() (client.FeedAlert, error) {
			current, err := c.FeedAlert(ctx, args[0])
			if problemOf(err) == http.StatusNotFound && match == "" {
				if !flags.Changed("kind") {
					return current, usage("there is no alert %s; to add it, set --kind and the other required flags", args[0])
				}
				err = nil
			}
			if err != nil {
				return current, err
			}
			next := current.FeedAlertSettings
			switch {
			case next.Kind == "":
				next.Enabled = true
			case flags.Changed("kind") && given.Kind != next.Kind: // the others belong to the previous kind
				next = client.FeedAlertSettings{Enabled: next.Enabled, Tag: next.Tag, Source: next.Source, SourceType: next.SourceType}
			case flags.Changed("threshold"):
				next.Resolve = 0
			}
			if err := apply(flags, alertFlags, &next); err != nil {
				return current, err
			}
			return operator.PutFeedAlert(ctx, args[0], next, cmp.Or(match, current.ETag))
		})
	})
}

// alertFlags adds the flags of the settings of an alert.
func alertFlags(flags *pflag.FlagSet, s *client.FeedAlertSettings) {
	flags.StringVar(&s.Kind, "kind", s.Kind, "match, volume, negative or silent")
	flags.BoolVar(&s.Enabled, "enabled", s.Enabled, "evaluate the alert")
	flags.StringVar(&s.Tag, "tag", s.Tag, "only items with this tag")
	flags.StringVar(&s.Source, "source", s.Source, "only items of this source of the feed")
	flags.StringVar(&s.SourceType, "source-type", s.SourceType, "only items of this source type: newsapi, twitter, reddit or rss")
	flags.StringVar(&s.Keyword, "keyword", s.Keyword, "match: only items with this word or phrase in the first 200 characters")
	flags.StringVar(&s.Window, "window", s.Window, "the time that is considered, such as 30m")
	flags.Float64Var(&s.Threshold, "threshold", s.Threshold,
		"match: number of items; volume: factor of the usual number; negative: share from 0 to 1")
	flags.IntVar(&s.MinItems, "min-items", s.MinItems,
		"volume, negative: fewest items in the window; silent: fewest items that are usual in the silence")
	flags.Float64Var(&s.Resolve, "resolve", s.Resolve, "resolve below this value, in the unit of --threshold")
	flags.StringVar(&s.FireAfter, "fire-after", s.FireAfter, "time for which the threshold must be reached, such as 5m")
	flags.StringVar(&s.ResolveAfter, "resolve-after", s.ResolveAfter, "time below --resolve until the alert resolves, such as 5m")
}
