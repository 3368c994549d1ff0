package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/assay/client"
)

const (
	// listenURL is the URL of the endpoints that listen registers. They are disabled, so that it is not called.
	listenURL = "https://listen.invalid/"
	// listenPoll is the time between two requests for new deliveries.
	listenPoll = time.Second
	// listenEnd is the time limit of the deletion of the endpoint.
	listenEnd = 10 * time.Second
)

func (w *webhooks) newListen() *cobra.Command {
	var events selection
	var target, secret string
	cmd := &cobra.Command{
		Use: "listen --forward-to URL", Short: "Send events to a program on this machine, until interrupted",
		Long: `Send events to a program on this machine, until interrupted. It is for the development
of receivers: the server need not reach this machine.

The command registers an endpoint, asks the server for its events once a second, signs
them like the server, posts each of them once to the URL, and deletes the endpoint when
it is interrupted. It prints the secret that verifies the signatures; with --secret it
stays the same in the next run.`,
		Example: `  assay webhooks listen --forward-to localhost:3000/hooks
  assay webhooks listen --forward-to http://localhost:3000/hooks --area library --include-result`,
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&target, "forward-to", "", "URL that events are posted to")
	flags.StringVar(&secret, "secret", "", "sign with this secret, which begins with whsec_ or whsk_ [ASSAY_WEBHOOK_SECRET]")
	events.flags(flags)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if target == "" {
			return usage("specify the URL that events are posted to with --forward-to")
		}
		if !strings.Contains(target, "://") {
			target = "http://" + target
		}
		if u, err := url.Parse(target); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return usage("--forward-to %s: must be a URL such as http://localhost:3000/hooks", target)
		}
		if secret == "" {
			secret = os.Getenv("ASSAY_WEBHOOK_SECRET")
		}
		if _, err := webhook.Public(secret); secret != "" && err != nil {
			return usage("--secret: must be a secret of a webhook, such as %s", webhook.NewSecret(false))
		}
		return nil
	}
	cmd.RunE = with(w.connect, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		terms, err := events.terms(cmd.Context(), c, w)
		if err != nil {
			return err
		}
		terms.URL, terms.Enabled = listenURL, new(bool)
		endpoint, err := c.CreateWebhook(cmd.Context(), terms)
		if err != nil {
			return err
		}
		if secret == "" {
			secret = endpoint.Secret
		}
		l := &listener{
			settings: w.settings, client: c, id: endpoint.ID, secret: secret, target: target, out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr(),
			http: &http.Client{
				Timeout: webhook.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
			seen: map[string]bool{},
		}
		defer l.http.CloseIdleConnections()
		err = l.run(cmd.Context())
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), listenEnd)
		defer cancel()
		if failed := c.DeleteWebhook(ctx, endpoint.ID); failed != nil {
			err = errors.Join(err, fmt.Errorf("delete the endpoint %s: %w", endpoint.ID, failed))
		}
		return err
	})
	return cmd
}

// listener sends the deliveries to an endpoint to a URL.
type listener struct {
	*settings
	client             *client.Client
	id, secret, target string
	out, errs          io.Writer
	http               *http.Client
	seen               map[string]bool // ids of events
}

// startLine is the first line of JSON.
type startLine struct {
	WebhookID string `json:"webhookId"`
	Secret    string `json:"secret"`
	ForwardTo string `json:"forwardTo"`
}

// forwardLine is the line of JSON of an event.
type forwardLine struct {
	Time       time.Time `json:"time"`
	Type       string    `json:"type"`
	EventID    string    `json:"eventId"`
	ItemID     string    `json:"itemId,omitempty"`
	HTTPStatus int       `json:"httpStatus,omitempty"`
	Error      string    `json:"error,omitempty"`
}

// run forwards events until ctx is done, which is its normal end.
func (l *listener) run(ctx context.Context) error {
	verifying, err := webhook.Public(l.secret)
	if err != nil {
		return err
	}
	if err := l.write(l.out, startLine{l.id, verifying, l.target}, "secret  %s\n", verifying); err != nil {
		return err
	}
	note(l.errs, "Forwarding events to %s; stop with Ctrl-C.", l.target)
	poll := time.NewTicker(listenPoll)
	defer poll.Stop()
	lost := false
	for {
		err := l.forwardNew(ctx)
		unreachable, ok := errors.AsType[*client.Unreachable](err)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !ok:
			return err
		case ok && !lost:
			note(l.errs, "No server responds at %s; trying again.", unreachable.Server)
		}
		lost = ok
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
	}
}

// forwardNew forwards the events that are new in the list of deliveries.
func (l *listener) forwardNew(ctx context.Context) error {
	var fresh []client.Delivery
	for cursor := ""; ; {
		page, next, err := l.client.Deliveries(ctx, l.id, "", deliveriesPerPage, cursor)
		if err != nil {
			return err
		}
		before := len(fresh)
		for _, d := range page {
			if !l.seen[d.EventID] {
				fresh = append(fresh, d)
			}
		}
		if next == "" || len(fresh) == before { // older events have been forwarded
			break
		}
		cursor = next
	}
	slices.Reverse(fresh)
	for _, d := range fresh {
		line := forwardLine{Time: time.Now().UTC(), Type: d.Type, EventID: d.EventID, ItemID: d.ItemID}
		status, err := l.post(ctx, d)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result := strconv.Itoa(status) + " " + http.StatusText(status)
		if line.HTTPStatus = status; err != nil {
			line.Error, result = err.Error(), err.Error()
		}
		l.seen[d.EventID] = true
		if err := l.write(l.out, line, "%s  %-20s  %-36s  %s\n", line.Time.Local().Format(time.TimeOnly), shown(d.Type), shown(d.ItemID), result); err != nil {
			return err
		}
	}
	return nil
}

// post makes the request of a delivery.
func (l *listener) post(ctx context.Context, d client.Delivery) (status int, err error) {
	r, err := webhook.NewRequest(ctx, l.target, []string{l.secret}, d.ID, time.Now(), d.Payload)
	if err != nil {
		return 0, err
	}
	response, err := l.http.Do(r)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // its text would repeat the URL
		}
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
