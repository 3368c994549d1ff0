package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// deliveriesPerPage is the maximum number of deliveries in a response.
const deliveriesPerPage = 200

func (w *webhooks) newDeliveries() *cobra.Command {
	var status string
	var limit int
	cmd := &cobra.Command{
		Use: "deliveries ID", ValidArgsFunction: w.items().complete(1), Short: "List the deliveries of the last 30 days, those of the newest events first",
		Long: `List the deliveries of the last 30 days, those of the newest events first. --json prints
them with all attempts and payloads.`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&status, "status", "", "only deliveries with this status: pending, delivered or dead")
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of deliveries to list, up to 10000")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		return errors.Join(oneOf("--status", status, []string{"pending", "delivered", "dead"}), within("--limit", limit, 10_000))
	}
	deliveries := item[client.Delivery]{
		settings: w.settings, none: "No deliveries yet.", heads: []any{"TIME", "TYPE", "STATUS", "ATTEMPTS", "LAST ATTEMPT", "EVENT"},
		cells: func(d client.Delivery) []any {
			return []any{dateTime(d.Timestamp), d.Type, w.state(d.Status), len(d.Attempts), lastAttempt(d), d.EventID}
		},
	}
	cmd.RunE = with(w.connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
		id, err := idOf(cmd.Context(), c, args[0])
		if err != nil {
			return err
		}
		all, more, err := deliveriesTo(cmd.Context(), c, id, status, limit)
		if err != nil {
			return err
		}
		err = deliveries.writeList(cmd, each(all))
		if err == nil && more {
			note(cmd.ErrOrStderr(), "There are more; raise --limit or use --status.")
		}
		return err
	})
	return cmd
}

// deliveriesTo returns up to limit deliveries to an endpoint and reports whether there are more.
func deliveriesTo(ctx context.Context, c *client.Client, id, status string, limit int) (all []client.Delivery, more bool, err error) {
	for cursor := ""; ; {
		page, next, err := c.Deliveries(ctx, id, status, min(deliveriesPerPage, limit), cursor)
		if err != nil {
			return nil, false, err
		}
		if all = append(all, page...); next == "" || len(all) >= limit {
			return all[:min(limit, len(all))], next != "" || len(all) > limit, nil
		}
		cursor = next
	}
}

// lastAttempt describes the last attempt of a delivery and the time of the next one.
func lastAttempt(d client.Delivery) string {
	text := "none"
	if len(d.Attempts) > 0 {
		text = attemptResult(d.Attempts[len(d.Attempts)-1])
	}
	if !d.NextAttempt.IsZero() && len(d.Attempts) > 0 {
		text += ", next at " + dateTime(d.NextAttempt)
	}
	return text
}

func attemptResult(a client.DeliveryAttempt) string {
	if a.HTTPStatus == 0 {
		return a.Error
	}
	return strconv.Itoa(a.HTTPStatus)
}

func (w *webhooks) newTest() *cobra.Command {
	cmd := &cobra.Command{
		Use: "test ID", ValidArgsFunction: w.items().complete(1), Short: "Send a test event to an endpoint and print the response",
		Long: `Send an event of type webhook.test to an endpoint, even if its filters do not select it,
and print the response. The exit status is 1 unless the receiver responds with 2xx.`,
		Args: cobra.ExactArgs(1),
	}
	sent := item[client.Delivery]{settings: w.settings, fields: deliveryFields}
	cmd.RunE = with(w.connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
		d, err := ofWebhook((*client.Client).TestWebhook)(c, cmd.Context(), args[0])
		if err := sent.writeFields(cmd.OutOrStdout(), d, err); err != nil {
			return err
		}
		switch {
		case d.Status == "delivered":
			return nil
		case len(d.Attempts) == 0:
			return errors.New("the test event has not been sent yet; see: assay webhooks deliveries " + args[0])
		}
		return fmt.Errorf("the receiver did not accept the test event: %s", attemptResult(d.Attempts[len(d.Attempts)-1]))
	})
	return cmd
}

func deliveryFields(t *columns, d client.Delivery) {
	t.field("event", d.EventID)
	t.field("webhook-id", d.ID)
	t.field("status", d.Status)
	for _, a := range d.Attempts {
		t.field("attempt", fmt.Sprintf("%s %s, after %s", dateTime(a.At), attemptResult(a), time.Duration(a.DurationMS)*time.Millisecond))
		t.field("response", strings.TrimSpace(a.Response))
	}
	t.field("next attempt", dateTime(d.NextAttempt))
}

func (w *webhooks) newReplay() *cobra.Command {
	var what client.Replay
	var since, until string
	cmd := &cobra.Command{
		Use: "replay ID", ValidArgsFunction: w.items().complete(1), Short: "Send deliveries of the last 30 days again",
		Long: `Send deliveries of the last 30 days again, each once and with its previous webhook-id,
in the order of their events. Pending deliveries are not sent twice.`,
		Example: `  assay webhooks replay orders --event library.completed/0198c0de-0000-7000-8000-000000000000/1764331200000
  assay webhooks replay orders --since 24h --status dead
  assay webhooks replay orders --since 2026-11-20T12:00:00Z --until 2026-11-21T00:00:00Z`,
		Args: cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&what.EventID, "event", "", "the event with this id, or webhook-id")
	flags.StringVar(&what.After, "after", "", "all events after the one with this id, or webhook-id")
	flags.StringVar(&since, "since", "", "all events since this time (RFC 3339), or within this duration before now (24h)")
	flags.StringVar(&until, "until", "", "only events before this time (RFC 3339), or older than this duration (1h)")
	flags.StringVar(&what.Status, "status", "", "only deliveries with this status: delivered or dead")
	cmd.MarkFlagsMutuallyExclusive("event", "after", "since")
	cmd.MarkFlagsMutuallyExclusive("event", "until")
	cmd.MarkFlagsMutuallyExclusive("event", "status")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if what.EventID == "" && what.After == "" && since == "" {
			return usage("specify --event, --after or --since")
		}
		var first, second error
		what.Since, first = moment("--since", since)
		what.Until, second = moment("--until", until)
		return errors.Join(first, second, oneOf("--status", what.Status, []string{"delivered", "dead"}))
	}
	cmd.RunE = with(w.connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
		id, err := idOf(cmd.Context(), c, args[0])
		if err != nil {
			return err
		}
		done, err := replayAll(cmd.Context(), c, id, what)
		if err != nil && done.Replayed > 0 {
			err = fmt.Errorf("%s sent again, then: %w", count(done.Replayed, "event"), err)
		}
		if err != nil {
			return err
		}
		return w.write(cmd.OutOrStdout(), done, "%s sent again, %d already pending\n", count(done.Replayed, "event"), done.Pending)
	})
	return cmd
}

// replayAll calls the server until nothing is left. The end is fixed at the beginning, so that new events do not prolong it.
func replayAll(ctx context.Context, c *client.Client, id string, what client.Replay) (client.Replayed, error) {
	var total client.Replayed
	if what.Until.IsZero() && what.EventID == "" {
		what.Until = time.Now()
	}
	for {
		part, err := c.ReplayWebhook(ctx, id, what)
		if err != nil {
			return total, err
		}
		total.Replayed += part.Replayed
		total.Pending += part.Pending
		if part.Next == "" {
			return total, nil
		}
		what.Since, what.After = time.Time{}, part.Next
	}
}
