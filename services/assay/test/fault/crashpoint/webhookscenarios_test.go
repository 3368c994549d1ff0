package crashpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/analyzer"
	e2e "github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/query"
)

func webhookScenarios() []scenario {
	roles := []string{analyzer.Name, query.Name}
	return []scenario{
		{name: "webhook", roles: roles, play: notifiedOnce},
		{name: "webhook of an endpoint that is gone", roles: roles, play: notifiedGone},
	}
}

// receiver is an endpoint that responds with a status.
type receiver struct {
	webhook.EndpointView
	Secret  string
	server  *httptest.Server
	arrived chan http.Header // of verified requests
}

// receive registers an endpoint that responds with a status.
func (r *run) receive(ctx context.Context, status int) *receiver {
	to := &receiver{arrived: make(chan http.Header, 100)}
	to.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := e2e.ReadWebhook(req, to.Secret)
		if err != nil {
			r.t.Errorf("%s: %v: %s", r.title, err, body)
		}
		w.WriteHeader(status)
		to.arrived <- req.Header
	}))
	r.t.Cleanup(to.server.Close)
	_, answer := r.send(ctx, request{
		method: http.MethodPost, path: "/v1/webhooks", header: map[string]string{"Content-Type": "application/json"},
		body: fmt.Appendf(nil, `{"url":%q}`, to.server.URL), want: []int{http.StatusCreated},
	})
	if err := json.Unmarshal(answer, to); err != nil {
		r.t.Errorf("%s: %v: %s", r.title, err, answer)
	}
	return to
}

// notified waits until an endpoint has received the outcome of the client's file, and its delivery has a status.
func (r *run) notified(ctx context.Context, to *receiver, status webhook.Status) {
	file, err := r.system.files.Get(ctx, r.id(ctx))
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	id := fmt.Sprintf("analysis.completed/textfile/%s/%d", file.FileID, file.UpdatedAt)
	select {
	case header := <-to.arrived:
		if got := header.Get(webhook.HeaderID); got != webhook.MessageID(id) {
			r.t.Errorf("%s: got the delivery %s, want %s", r.title, got, webhook.MessageID(id))
		}
	case <-ctx.Done():
		r.t.Errorf("%s: no delivery of %s", r.title, id)
		return
	}
	deliveries := webhook.NewDeliveries(r.system.audit.DB(), r.system.cfg.Platform)
	err = r.system.settle(ctx, func(ctx context.Context) error {
		d, err := deliveries.Find(ctx, to.ID, id)
		if err == nil && d.Status != status {
			err = fmt.Errorf("the delivery is %s, want %s", d.Status, status)
		}
		return err
	})
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
}

func notifiedOnce(ctx context.Context, r *run) {
	to := r.receive(ctx, http.StatusNoContent)
	r.begin()
	r.post(ctx, text)
	r.promised(ctx, audit.Promise{Result: statistics})
	r.notified(ctx, to, webhook.StatusDelivered)
}

// notifiedGone checks that an endpoint that responds with 410 is disabled.
func notifiedGone(ctx context.Context, r *run) {
	to := r.receive(ctx, http.StatusGone)
	r.begin()
	r.post(ctx, text)
	r.promised(ctx, audit.Promise{Result: statistics})
	r.notified(ctx, to, webhook.StatusDead)
	endpoints := webhook.NewEndpoints(platform.NewStore(r.system.audit.DB(), r.system.cfg.Platform))
	err := r.system.settle(ctx, func(ctx context.Context) error {
		e, _, err := endpoints.Get(ctx, r.owner, to.ID)
		if err != nil {
			return err
		}
		health, _, err := endpoints.Health(ctx, e)
		if err == nil && e.State(health) != webhook.Disabled {
			err = errors.New("the endpoint is active")
		}
		return err
	})
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
}
