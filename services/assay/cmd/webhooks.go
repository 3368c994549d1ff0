package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// webhooks builds the commands for webhook endpoints.
type webhooks struct {
	*settings
	ofOperators bool // the endpoints of the operators
}

func newWebhooks(s *settings) *cobra.Command {
	w := &webhooks{settings: s}
	cmd := group(&cobra.Command{
		Use:   "webhooks",
		Short: "Register webhook endpoints, see and replay deliveries",
		Long: `Register webhook endpoints, see and replay deliveries. An endpoint is a URL that the
server calls when an item is completed or has failed. See docs/webhooks.md for what is
sent and how receivers verify it.

ID is the id or the name of an endpoint.

With --operators the commands concern the endpoints of the operators, which receive the
events of all owners and of the feed. They then call the server's operator address:
--operator, else ASSAY_OPERATOR, else that of a running "assay serve".`,
		Example: `  assay webhooks create https://example.com/hooks --name orders --area library
  assay webhooks test orders
  assay webhooks replay orders --since 24h --status dead
  assay webhooks listen --forward-to http://localhost:3000/hooks`,
	},
		w.newCreate(), w.newList(), w.newShow(), w.newSet(), w.newRotate(), w.newDelete(),
		w.newTest(), w.newDeliveries(), w.newReplay(), w.newListen())
	s.operators(cmd, "8087")
	cmd.PersistentFlags().BoolVar(&w.ofOperators, "operators", false, "use the endpoints of the operators")
	return cmd
}

func (w *webhooks) connect() (*client.Client, error) {
	if w.ofOperators {
		return w.operatorClient()
	}
	return w.client()
}

// items describes endpoints.
func (w *webhooks) items() item[client.Webhook] {
	return item[client.Webhook]{
		settings: w.settings, connect: w.connect, all: (*client.Client).Webhooks,
		none: "No webhook endpoints yet; register one with: assay webhooks create URL",
		offer: func(e client.Webhook) string {
			return cobra.CompletionWithDesc(cmp.Or(e.Name, e.ID), e.State+"  "+e.URL)
		},
		heads: []any{"ID", "NAME", "STATE", "EVENTS", "URL"},
		cells: func(e client.Webhook) []any {
			return []any{e.ID, cmp.Or(e.Name, "-"), w.state(stateOf(e)), eventsOf(e), e.URL}
		},
		fields: webhookFields,
	}
}

// stateOf returns the state of an endpoint as one word.
func stateOf(e client.Webhook) string {
	if e.State == "active" && !e.FailingSince.IsZero() {
		return "failing"
	}
	return e.State
}

// eventsOf describes in short which events an endpoint receives.
func eventsOf(e client.Webhook) string {
	text := cmp.Or(strings.Join(e.Types, ","), strings.Join(e.Areas, ","), "all")
	if len(e.Tags) > 0 || e.Folder != "" || e.OnlyNamed || len(e.Types) > 0 && len(e.Areas) > 0 {
		text += ", filtered"
	}
	return text
}

func webhookFields(t *columns, e client.Webhook) {
	t.field("webhook", e.ID)
	t.field("name", e.Name)
	t.field("url", e.URL)
	t.field("state", e.State)
	t.field("reason", e.Reason)
	t.field("failing since", dateTime(e.FailingSince))
	t.field("areas", cmp.Or(strings.Join(e.Areas, ", "), "all"))
	t.field("types", cmp.Or(strings.Join(e.Types, ", "), "all"))
	t.field("tags", strings.Join(e.Tags, ", "))
	t.field("folder", e.Folder)
	if e.OnlyNamed {
		t.field("items", "only those that name the endpoint")
	}
	t.field("include", e.Include)
	t.field("signature", e.Signature)
	t.field("public key", e.PublicKey)
	t.field("created", dateTime(e.CreatedAt))
	t.field("rotating", previousSecret(e))
}

func previousSecret(e client.Webhook) string {
	if e.PreviousSecretUntil.IsZero() {
		return ""
	}
	return "the previous secret is used until " + dateTime(e.PreviousSecretUntil)
}

// idOf returns the id of the endpoint with an id or a name.
func idOf(ctx context.Context, c *client.Client, idOrName string) (string, error) {
	if uuid.Validate(idOrName) == nil {
		return idOrName, nil
	}
	all, err := c.Webhooks(ctx)
	if err != nil {
		return "", err
	}
	for _, e := range all {
		if e.Name == idOrName {
			return e.ID, nil
		}
	}
	return "", fmt.Errorf("there is no webhook endpoint %s; see: assay webhooks list", shown(idOrName))
}

// ofWebhook returns a call for the endpoint with an id or a name.
func ofWebhook[T any](do func(*client.Client, context.Context, string) (T, error)) call[T] {
	return func(c *client.Client, ctx context.Context, idOrName string) (T, error) {
		id, err := idOf(ctx, c, idOrName)
		if err != nil {
			var none T
			return none, err
		}
		return do(c, ctx, id)
	}
}

func (w *webhooks) newList() *cobra.Command {
	return w.items().newAll(&cobra.Command{Use: "list", Short: "List the endpoints and their state"})
}

func (w *webhooks) newShow() *cobra.Command {
	return w.items().newShow(&cobra.Command{Use: "show ID", Short: "Show an endpoint"}, ofWebhook((*client.Client).Webhook))
}

// withSecret describes endpoints with a new secret.
func (w *webhooks) withSecret() item[client.NewWebhook] {
	return item[client.NewWebhook]{
		settings: w.settings, connect: w.connect,
		fields: func(t *columns, e client.NewWebhook) {
			t.field("webhook", e.ID)
			t.field("name", e.Name)
			t.field("url", e.URL)
			secret := "secret"
			if e.Signature == "ed25519" {
				secret = "public key"
			}
			t.field(secret, e.Secret)
			t.field("rotating", previousSecret(e.Webhook))
		},
	}
}

func (w *webhooks) newRotate() *cobra.Command {
	cmd := w.withSecret().newShow(&cobra.Command{
		Use: "rotate ID", Short: "Replace the secret of an endpoint and print it",
		Long: `Replace the secret of an endpoint and print it; it cannot be shown again. For 24 hours,
deliveries are signed with the previous secret too, so that receivers can be changed
meanwhile.`,
	}, ofWebhook((*client.Client).RotateWebhook))
	cmd.ValidArgsFunction = w.items().complete(1)
	return cmd
}

func (w *webhooks) newDelete() *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete an endpoint; pending deliveries are not sent", Args: cobra.ExactArgs(1),
		ValidArgsFunction: w.items().complete(1),
		RunE: with(w.connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := idOf(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if err := c.DeleteWebhook(cmd.Context(), id); err != nil {
				return err
			}
			return w.writeDeleted(cmd.OutOrStdout(), deletedLine{Name: args[0], Deleted: true})
		}),
	}
}
