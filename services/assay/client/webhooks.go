package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Webhook is a webhook endpoint. At the server's address, the calls for endpoints concern those of the caller's owner; at the
// operator address, those of the operators, which receive the events of all owners and of the feed.
type Webhook struct {
	ID                  string    `json:"id"`
	Name                string    `json:"name,omitempty"`
	URL                 string    `json:"url"`
	Areas               []string  `json:"areas,omitempty"` // empty for all
	Types               []string  `json:"types,omitempty"` // such as library.completed; empty for all
	Tags                []string  `json:"tags,omitempty"`
	Folder              string    `json:"folder,omitempty"` // id
	OnlyNamed           bool      `json:"onlyNamed,omitempty"`
	Include             string    `json:"include,omitempty"` // result, or empty
	Signature           string    `json:"signature"`         // hmac or ed25519
	PublicKey           string    `json:"publicKey,omitempty"`
	State               string    `json:"state"`            // active or disabled
	Reason              string    `json:"reason,omitempty"` // why it is disabled
	FailingSince        time.Time `json:"failingSince,omitzero"`
	CreatedAt           time.Time `json:"createdAt"`
	PreviousSecretUntil time.Time `json:"previousSecretUntil,omitzero"`
}

// NewWebhook is an endpoint with the secret that verifies its signatures, or the public key with ed25519. The server does not
// show the secret again.
type NewWebhook struct {
	Webhook
	Secret string `json:"secret"`
}

// WebhookTerms describes a new endpoint.
type WebhookTerms struct {
	URL       string   `json:"url"`
	Name      string   `json:"name,omitempty"`
	Areas     []string `json:"areas,omitempty"`
	Types     []string `json:"types,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Folder    string   `json:"folder,omitempty"`
	OnlyNamed bool     `json:"onlyNamed,omitempty"`
	Include   string   `json:"include,omitempty"`   // result, or empty
	Enabled   *bool    `json:"enabled,omitempty"`   // nil means true
	Signature string   `json:"signature,omitempty"` // hmac or ed25519; empty means hmac
}

// WebhookChange is a change of an endpoint. Nil fields are not changed.
type WebhookChange struct {
	URL       *string   `json:"url,omitempty"`
	Name      *string   `json:"name,omitempty"`
	Areas     *[]string `json:"areas,omitempty"`
	Types     *[]string `json:"types,omitempty"`
	Tags      *[]string `json:"tags,omitempty"`
	Folder    *string   `json:"folder,omitempty"`
	OnlyNamed *bool     `json:"onlyNamed,omitempty"`
	Include   *string   `json:"include,omitempty"`
	Enabled   *bool     `json:"enabled,omitempty"`
}

// CreateWebhook registers an endpoint. It is not retried after a broken connection, because the endpoint may have been
// registered.
func (c *Client) CreateWebhook(ctx context.Context, terms WebhookTerms) (NewWebhook, error) {
	var created NewWebhook
	err := c.do(ctx, call{method: http.MethodPost, path: join("webhooks"), body: terms, once: true}, &created)
	return created, err
}

// Webhooks returns the endpoints.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	var list struct {
		Webhooks []Webhook `json:"webhooks"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("webhooks")}, &list)
	return list.Webhooks, err
}

// Webhook returns an endpoint.
func (c *Client) Webhook(ctx context.Context, id string) (Webhook, error) {
	var found Webhook
	err := c.do(ctx, call{method: http.MethodGet, path: join("webhooks", id)}, &found)
	return found, err
}

// ChangeWebhook changes an endpoint.
func (c *Client) ChangeWebhook(ctx context.Context, id string, change WebhookChange) (Webhook, error) {
	var changed Webhook
	err := c.do(ctx, call{method: http.MethodPatch, path: join("webhooks", id), body: change}, &changed)
	return changed, err
}

// RotateWebhook replaces the secret of an endpoint. For 24 hours deliveries are also signed with the previous one. It is not
// retried after a broken connection, because a second rotation would end the previous secret.
func (c *Client) RotateWebhook(ctx context.Context, id string) (NewWebhook, error) {
	var rotated NewWebhook
	err := c.do(ctx, call{method: http.MethodPost, path: join("webhooks", id, "rotate"), once: true}, &rotated)
	return rotated, err
}

// DeleteWebhook deletes an endpoint. It succeeds if there is none.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("webhooks", id)}, nil)
}

// Delivery is an event for an endpoint.
type Delivery struct {
	ID          string            `json:"id"`      // webhook-id of the requests
	EventID     string            `json:"eventId"` // id of the event on NATS
	Type        string            `json:"type"`
	Area        string            `json:"area"`
	ItemID      string            `json:"itemId,omitempty"`
	Status      string            `json:"status"`    // pending, delivered or dead
	Timestamp   time.Time         `json:"timestamp"` // of the event
	NextAttempt time.Time         `json:"nextAttempt,omitzero"`
	Attempts    []DeliveryAttempt `json:"attempts"`
	Payload     json.RawMessage   `json:"payload"`
}

// DeliveryAttempt is one request of a delivery.
type DeliveryAttempt struct {
	At         time.Time `json:"at"`
	DurationMS int64     `json:"durationMs"`
	HTTPStatus int       `json:"httpStatus,omitempty"` // 0 if there was no response
	Error      string    `json:"error,omitempty"`
	Response   string    `json:"response,omitempty"` // beginning of a response other than 2xx
}

// TestWebhook sends an event of type webhook.test to an endpoint and returns the delivery after the first request, or after 25
// seconds.
func (c *Client) TestWebhook(ctx context.Context, id string) (Delivery, error) {
	var sent Delivery
	err := c.do(ctx, call{method: http.MethodPost, path: join("webhooks", id, "test"), once: true}, &sent)
	return sent, err
}

// Deliveries returns up to limit deliveries to an endpoint, those of the newest events first, and the cursor of the next page:
// only those with a status, unless it is empty.
func (c *Client) Deliveries(ctx context.Context, id, status string, limit int, cursor string) ([]Delivery, string, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, value := range map[string]string{"status": status, "cursor": cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var page struct {
		Deliveries []Delivery `json:"deliveries"`
		NextCursor string     `json:"nextCursor"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("webhooks", id, "deliveries"), query: query}, &page)
	return page.Deliveries, page.NextCursor, err
}

// Replay selects the deliveries that are sent again, by one of EventID, After and Since.
type Replay struct {
	EventID string    `json:"eventId,omitempty"` // of one event: id on NATS, or webhook-id
	After   string    `json:"after,omitempty"`   // all events after the one with this id
	Since   time.Time `json:"since,omitzero"`    // all events from this time on
	Until   time.Time `json:"until,omitzero"`    // and before this time
	Status  string    `json:"status,omitempty"`  // delivered or dead; empty for both
}

// Replayed is the result of a replay.
type Replayed struct {
	Replayed int    `json:"replayed"`       // deliveries that are sent again
	Pending  int    `json:"pending"`        // deliveries that were pending already
	Next     string `json:"next,omitempty"` // After of the next call, if there are others
}

// ReplayWebhook sends deliveries to an endpoint again, at most 1000 in a call.
func (c *Client) ReplayWebhook(ctx context.Context, id string, what Replay) (Replayed, error) {
	var done Replayed
	err := c.do(ctx, call{method: http.MethodPost, path: join("webhooks", id, "replay"), body: what}, &done)
	return done, err
}
