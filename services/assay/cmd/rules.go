package cmd

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newRules(s *settings) *cobra.Command {
	rules := item[client.Rule]{
		settings: s, connect: s.client, heads: []any{"NAME", "ORDER", "STATE", "FOR", "DOES"}, none: "No rules yet; save one with: assay rules save NAME --q QUERY --do tag=TAG",
		cells: func(r client.Rule) []any {
			return []any{r.Name, r.Order, enabledOf(r), shown(matchOf(r)), shown(doesOf(r))}
		},
		fields: func(t *columns, r client.Rule) {
			t.field("name", r.Name)
			t.field("for", matchOf(r))
			for _, a := range r.Actions {
				t.field("does", actionOf(a))
			}
			t.field("order", strconv.Itoa(r.Order))
			t.field("state", enabledOf(r))
			t.field("created", dateTime(r.CreatedAt))
			t.field("updated", dateTime(r.UpdatedAt))
		},
		noun: "rule", listed: "assay rules list", all: (*client.Client).Rules, delete: (*client.Client).DeleteRule,
		deleted: func(name string) deletedLine { return deletedLine{Name: name, Deleted: true} },
		offer:   func(r client.Rule) string { return cobra.CompletionWithDesc(r.Name, doesOf(r)) },
	}
	return group(&cobra.Command{
		Use: "rules", Short: "Save, try out and delete rules for new items, and show what they have done",
		Long: `Save, try out and delete rules for new items, and show what they have done. A rule acts on
the items that begin to match its search after it was saved: it tags, moves, sends or edits
them, or notifies you.`,
	},
		rules.newAll(&cobra.Command{Use: "list", Short: "List your rules, in the order in which they act"}),
		rules.newShow(&cobra.Command{Use: "show NAME", Short: "Show a rule"}, (*client.Client).Rule),
		newRulesSave(rules),
		rules.newDelete(&cobra.Command{Use: "delete NAME...", Short: "Delete rules"}),
		newRulesDryRun(rules),
		newRulesLog(s))
}

func enabledOf(r client.Rule) string {
	if r.Enabled {
		return "enabled"
	}
	return "disabled"
}

// matchOf returns which items a rule acts on.
func matchOf(r client.Rule) string {
	text := r.Query
	if r.Search != "" {
		text = "search " + r.Search
	}
	if len(r.Areas) > 0 {
		text += " in " + strings.Join(r.Areas, ",")
	}
	return text
}

// doesOf returns the actions of a rule as one line.
func doesOf(r client.Rule) string {
	all := make([]string, len(r.Actions))
	for n, a := range r.Actions {
		all[n] = actionOf(a)
	}
	return strings.Join(all, ", ")
}

// actionOf returns an action in the form of the flag --do.
func actionOf(a client.RuleAction) string {
	switch {
	case a.Tag != "":
		return "tag=" + a.Tag
	case a.Untag != "":
		return "untag=" + a.Untag
	case a.Move != "":
		return "move=" + a.Move
	case a.Send != "":
		return "send=" + a.Send
	case a.Notify != "":
		return "notify=" + a.Notify
	case a.Edit == nil:
		return "unknown"
	case len(a.Edit.Options) > 0:
		options, err := json.Marshal(a.Edit.Options)
		if err == nil {
			return "edit=" + strings.TrimSpace(a.Edit.Prompt+" "+string(options))
		}
	}
	return "edit=" + a.Edit.Prompt
}

// actions reads the values of the flag --do. A folder is named by its path or its id.
func actions(ctx context.Context, c *client.Client, given []string) ([]client.RuleAction, error) {
	all := make([]client.RuleAction, len(given))
	for n, text := range given {
		verb, what, ok := strings.Cut(text, "=")
		a := &all[n]
		switch verb {
		case "tag":
			a.Tag = what
		case "untag":
			a.Untag = what
		case "send":
			a.Send = what
		case "notify":
			a.Notify = what
		case "edit":
			a.Edit = &client.RuleEdit{Prompt: what}
			continue
		case "move":
			if a.Move = what; what == "root" || what == "" {
				break
			}
			folder, err := find(ctx, c, what)
			if err := notFolder(what, folder, err); err != nil {
				return nil, err
			}
			a.Move = folder.ID
		default:
			ok = false
		}
		if !ok || what == "" {
			return nil, usage("--do %s: must be tag=TAG, untag=TAG, move=FOLDER, send=AREA, edit=PROMPT or notify=TEXT", shown(text))
		}
	}
	return all, nil
}

func newRulesSave(rules item[client.Rule]) *cobra.Command {
	var r client.NewRule
	var do []string
	var disabled bool
	cmd := &cobra.Command{
		Use: "save NAME", Short: "Save a rule, or replace it",
		Long: `Save a rule under a name of letters a to z, digits and hyphens. It replaces the rule with
that name. The rule does what the flags --do say, in their order. It acts once on an item,
and again after the item was processed again.`,
		Example: `  assay rules save invoices --q 'invoice type:pdf' --do tag=invoice --do move=/Invoices
  assay rules save count --search budgets --area library --do send=textfile --do 'notify=A new budget'
  assay rules dry-run invoices`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: rules.complete(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Search, "search", "", "act on items that begin to match this saved search")
	flags.StringVar(&r.Query, "q", "", "act on items that begin to match this query; see assay find")
	flags.StringSliceVar(&r.Areas, "area", nil, "only items of these areas, such as library or textfile; default: all")
	flags.StringArrayVar(&do, "do", nil, "tag=TAG, untag=TAG, move=FOLDER, send=AREA, edit=PROMPT or notify=TEXT; repeat it for several")
	flags.IntVar(&r.Order, "order", 0, "rules act on an item in this order")
	flags.BoolVar(&disabled, "disabled", false, "save the rule, but do not apply it")
	cmd.MarkFlagsOneRequired("search", "q")
	cmd.MarkFlagsMutuallyExclusive("search", "q")
	cmd.MarkFlagsOneRequired("do")
	return rules.newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.Rule, error) {
		var err error
		if r.Actions, err = actions(ctx, c, do); err != nil {
			return client.Rule{}, err
		}
		r.Enabled = !disabled
		return c.SaveRule(ctx, args[0], r)
	})
}

// ruled is what a rule has done, or would do, with an item.
type ruled struct {
	client.ItemName
	Name string `json:"name,omitempty"`
	client.RuleEntry
}

// entries writes what rules have done, or would do.
func entries(s *settings, none string) item[ruled] {
	return item[ruled]{
		settings: s, heads: []any{"ITEM", "RULE", "ACTION", "STATUS", "DETAIL"}, none: none,
		cells: func(e ruled) []any {
			detail := e.Detail
			if e.Created != nil {
				detail = "created " + e.Created.Area + "/" + e.Created.ID
			}
			return []any{e.ItemName.Area + "/" + shown(e.ItemName.ID), e.Rule, shown(actionOf(e.Action)), e.Status, shown(detail)}
		},
	}
}

func newRulesDryRun(rules item[client.Rule]) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "dry-run NAME", Short: "Show what a rule would do with items that match at the moment",
		Long: `Show what a rule would do with items that match at the moment, and change nothing. The rule
itself acts only on items that begin to match after it was saved.`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: rules.complete(1),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of items to show, up to 100")
	cmd.RunE = with(rules.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		trial, err := c.TryRule(cmd.Context(), args[0], limit)
		if err != nil {
			return err
		}
		var all []ruled
		for _, i := range trial.Items {
			for _, e := range i.Entries {
				all = append(all, ruled{client.ItemName{Area: i.Area, ID: i.ID}, i.Name, e})
			}
		}
		err = entries(rules.settings, "The rule would do nothing at the moment.").writeList(cmd, each(all))
		if err == nil && trial.More {
			note(cmd.ErrOrStderr(), "More items match; raise --limit.")
		}
		return err
	})
	return cmd
}

func newRulesLog(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "log AREA/ID", Short: "Show what rules have done with an item",
		Example: `  assay rules log library/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11`,
		Args:    cobra.ExactArgs(1), ValidArgsFunction: completion(s.client, 1, 0, offerItems),
	}
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		area, id, err := itemNamed(args[0])
		if err != nil {
			return err
		}
		log, err := c.ItemRules(cmd.Context(), area, id)
		if err != nil {
			return err
		}
		all := make([]ruled, len(log.Entries))
		for n, e := range log.Entries {
			all[n] = ruled{ItemName: client.ItemName{Area: area, ID: id}, RuleEntry: e}
		}
		if log.From != nil {
			note(cmd.ErrOrStderr(), "The item was created from %s/%s by the rules %s.", log.From.Area, shown(log.From.ID), strings.Join(log.Rules, ", "))
		}
		return entries(s, "No rule has acted on the item.").writeList(cmd, each(all))
	})
	return cmd
}
