package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
)

// TestWebhooks: each call sends the documented request and returns the response.
func TestWebhooks(t *testing.T) {
	endpoint := map[string]any{"id": "e1", "url": "https://a.example/", "state": "disabled", "reason": "gone", "secret": "whsec_a"}
	delivery := map[string]any{"id": "a_1", "eventId": "a/1", "status": "dead", "attempts": []any{map[string]any{"httpStatus": 500}}, "payload": map[string]any{"type": "a"}}
	s, c := serve(t,
		answer(201, endpoint), answer(200, map[string]any{"webhooks": []any{endpoint}}), answer(200, endpoint), answer(200, endpoint), answer(200, endpoint),
		answer(204, nil), answer(200, delivery), answer(200, map[string]any{"deliveries": []any{delivery}, "nextCursor": "n"}),
		answer(200, map[string]any{"replayed": 2, "pending": 1, "next": "a/1"}),
	)
	ctx, name := t.Context(), ""
	created, err := c.CreateWebhook(ctx, client.WebhookTerms{URL: "https://a.example/", Areas: []string{"library"}, Enabled: new(bool)})
	if err != nil || created.ID != "e1" || created.Secret != "whsec_a" {
		t.Errorf("created %+v, %v, want an endpoint with its secret", created, err)
	}
	all, err := c.Webhooks(ctx)
	if err != nil || len(all) != 1 || all[0].Reason != "gone" {
		t.Errorf("got %+v, %v, want one endpoint", all, err)
	}
	_, err = c.Webhook(ctx, "e1")
	_, changed := c.ChangeWebhook(ctx, "e1", client.WebhookChange{Name: &name, Tags: &[]string{}})
	rotated, failed := c.RotateWebhook(ctx, "e1")
	if deleted := c.DeleteWebhook(ctx, "e1"); err != nil || changed != nil || failed != nil || deleted != nil || rotated.Secret != "whsec_a" {
		t.Errorf("got errors %v, %v, %v, %v and %+v", err, changed, failed, deleted, rotated)
	}
	sent, err := c.TestWebhook(ctx, "e1")
	if err != nil || sent.EventID != "a/1" || len(sent.Attempts) != 1 || sent.Attempts[0].HTTPStatus != 500 || string(sent.Payload) != `{"type":"a"}` {
		t.Errorf("tested %+v, %v, want the delivery", sent, err)
	}
	page, next, err := c.Deliveries(ctx, "e1", "dead", 5, "c")
	if err != nil || len(page) != 1 || next != "n" {
		t.Errorf("listed %+v, %q, %v, want one delivery and the cursor n", page, next, err)
	}
	done, err := c.ReplayWebhook(ctx, "e1", client.Replay{Since: time.Unix(0, 0).UTC(), Status: "dead"})
	if want := (client.Replayed{Replayed: 2, Pending: 1, Next: "a/1"}); err != nil || done != want {
		t.Errorf("replayed %+v, %v, want %+v", done, err, want)
	}
	var got []string
	for _, r := range s.requests() {
		got = append(got, strings.TrimSpace(fmt.Sprint(r.method, " ", r.path, " ", r.query, " ", r.body)))
	}
	want := []string{
		`POST /v1/webhooks  {"url":"https://a.example/","areas":["library"],"enabled":false}`, "GET /v1/webhooks", "GET /v1/webhooks/e1",
		`PATCH /v1/webhooks/e1  {"name":"","tags":[]}`, "POST /v1/webhooks/e1/rotate", "DELETE /v1/webhooks/e1", "POST /v1/webhooks/e1/test",
		"GET /v1/webhooks/e1/deliveries cursor=c&limit=5&status=dead",
		`POST /v1/webhooks/e1/replay  {"since":"1970-01-01T00:00:00Z","status":"dead"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got the requests\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWebhooksAreCreatedOnce: calls that create something are not repeated when their response is lost.
func TestWebhooksAreCreatedOnce(t *testing.T) {
	for name, call := range map[string]func(*client.Client) error{
		"create": func(c *client.Client) error {
			_, err := c.CreateWebhook(t.Context(), client.WebhookTerms{})
			return err
		},
		"rotate": func(c *client.Client) error { _, err := c.RotateWebhook(t.Context(), "e1"); return err },
		"test":   func(c *client.Client) error { _, err := c.TestWebhook(t.Context(), "e1"); return err },
	} {
		s, c := serve(t, answer(http.StatusOK, map[string]any{"webhooks": []any{}}), hangUp)
		if _, err := c.Webhooks(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := call(c); err == nil || len(s.requests()) != 2 {
			t.Errorf("%s: got error %v after %d requests, want one after 2", name, err, len(s.requests()))
		}
	}
}
