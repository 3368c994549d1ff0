package cmd

import (
	"context"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/services/assay/client"
)

// selection holds the flags that select the events of an endpoint.
type selection struct {
	areas, types, tags []string
	folder             string
	onlyNamed          bool
	includeResult      bool
}

func (f *selection) flags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.areas, "area", nil, "only events of these areas, such as library")
	flags.StringSliceVar(&f.types, "type", nil, "only these types of events, such as library.completed")
	flags.StringSliceVar(&f.tags, "tag", nil, "only events of items with one of these tags")
	flags.StringVar(&f.folder, "folder", "", "only events of items in this folder of the library, or below it: its path or its id")
	flags.BoolVar(&f.onlyNamed, "only-named", false, "only events of items that name the endpoint")
	flags.BoolVar(&f.includeResult, "include-result", false, "add the result to payloads, if they do not exceed 20 KB")
}

// include returns the value of the field include.
func (f *selection) include() string {
	if f.includeResult {
		return "result"
	}
	return ""
}

// folderID returns the id of the folder, or "". Operators have no library, so they name folders only by id.
func (f *selection) folderID(ctx context.Context, c *client.Client, w *webhooks) (string, error) {
	if f.folder == "" || uuid.Validate(f.folder) == nil {
		return f.folder, nil
	}
	if w.ofOperators {
		return "", usage("--folder %s: with --operators it must be the id of a folder", f.folder)
	}
	n, err := find(ctx, c, f.folder)
	return n.ID, notFolder(f.folder, n, err)
}

// terms returns the description of a new endpoint.
func (f *selection) terms(ctx context.Context, c *client.Client, w *webhooks) (client.WebhookTerms, error) {
	folder, err := f.folderID(ctx, c, w)
	return client.WebhookTerms{
		Areas: f.areas, Types: f.types, Tags: f.tags, Folder: folder, OnlyNamed: f.onlyNamed, Include: f.include(),
	}, err
}

func (w *webhooks) newCreate() *cobra.Command {
	var events selection
	var name string
	var ed25519, disabled bool
	cmd := &cobra.Command{
		Use: "create URL", Short: "Register an endpoint and print its secret",
		Long: `Register an endpoint and print the secret that verifies its deliveries. The secret
cannot be shown again. Without filters, the endpoint receives all events.`,
		Example: `  assay webhooks create https://example.com/hooks
  assay webhooks create https://example.com/invoices --folder /invoices --type library.completed
  assay webhooks create https://example.com/all --operators --area feed`,
		Args: cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "a unique name, by which items and commands can name the endpoint")
	events.flags(flags)
	flags.BoolVar(&ed25519, "ed25519", false, "sign with ed25519 (v1a) and print the public key, instead of HMAC-SHA256 (v1)")
	flags.BoolVar(&disabled, "disabled", false, "list deliveries, but do not send them")
	return w.withSecret().newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.NewWebhook, error) {
		terms, err := events.terms(ctx, c, w)
		if err != nil {
			return client.NewWebhook{}, err
		}
		terms.URL, terms.Name = args[0], name
		if ed25519 {
			terms.Signature = "ed25519"
		}
		if disabled {
			terms.Enabled = new(bool)
		}
		return c.CreateWebhook(ctx, terms)
	})
}

func (w *webhooks) newSet() *cobra.Command {
	var events selection
	var address, name string
	var enable, disable bool
	cmd := &cobra.Command{
		Use: "set ID", ValidArgsFunction: w.items().complete(1), Short: "Change, enable or disable an endpoint",
		Long: `Change, enable or disable an endpoint. What has no flag is not changed; an empty value,
such as --tag "", removes a filter. An endpoint that is enabled receives events from
then on; replay what it has missed with "replay".`,
		Example: `  assay webhooks set orders --enable
  assay webhooks set orders --url https://example.com/v2/hooks --area library,textfile
  assay webhooks set orders --folder "" --include-result=false`,
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "url", "", "URL that is called")
	flags.StringVar(&name, "name", "", "a unique name, by which items and commands can name the endpoint")
	events.flags(flags)
	flags.BoolVar(&enable, "enable", false, "send events from now on")
	flags.BoolVar(&disable, "disable", false, "list deliveries, but do not send them")
	cmd.MarkFlagsMutuallyExclusive("enable", "disable")
	cmd.Args = cobra.MatchAll(someGiven, cobra.ExactArgs(1))
	return w.items().newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.Webhook, error) {
		id, err := idOf(ctx, c, args[0])
		if err != nil {
			return client.Webhook{}, err
		}
		folder, err := events.folderID(ctx, c, w)
		if err != nil {
			return client.Webhook{}, err
		}
		include := events.include()
		change := client.WebhookChange{
			URL: given(flags, "url", &address), Name: given(flags, "name", &name),
			Areas: given(flags, "area", &events.areas), Types: given(flags, "type", &events.types), Tags: given(flags, "tag", &events.tags),
			Folder: given(flags, "folder", &folder), OnlyNamed: given(flags, "only-named", &events.onlyNamed),
			Include: given(flags, "include-result", &include),
		}
		if enable || disable {
			change.Enabled = &enable
		}
		return c.ChangeWebhook(ctx, id, change)
	})
}

// given returns the value of a flag, or nil if the flag was not given.
func given[T any](flags *pflag.FlagSet, flag string, value *T) *T {
	if flags.Changed(flag) {
		return value
	}
	return nil
}
