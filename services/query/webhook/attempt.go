package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/webhook"
)

// result is how an attempt has ended.
type result int

const (
	none      result = iota // no request was made, or the endpoint is gone
	delivered               // 2xx
	refused                 // no response, or any other
)

// send makes one request for a delivery, and returns a function that records it. Both end after ctx is done, for at most the
// drain time.
func (l *line) send(ctx context.Context, to *loaded, d webhook.Delivery) (ended result, record func() error, err error) {
	ctx, cancel := l.draining(ctx)
	if to.deleted || to.State(to.health) == webhook.Disabled {
		return none, func() error { defer cancel(); return moved(l.deliveries.Stop(ctx, d)) }, nil
	}
	began := time.Now()
	ctx, span := obs.BeginDelivery(obs.WithTrace(ctx, obs.Trace{RequestID: d.RequestID, Parent: d.Trace}), "webhook "+d.Type,
		obs.Delivery{Message: d.EndpointID + "/" + d.EventID, Number: int(d.Version)},
		trace.WithAttributes(attribute.String("assay.area", d.Area), attribute.String("assay.item", d.ItemID)))
	response, attempt, err := l.request(ctx, to, d)
	obs.End(span, err)
	if ctx.Err() != nil {
		cancel()
		return none, nil, context.Cause(ctx)
	}
	ended, status, next := refused, webhook.StatusDead, time.Time{}
	switch {
	case err == nil && response.StatusCode/100 == 2:
		ended, status = delivered, webhook.StatusDelivered
	case err == nil && response.StatusCode == http.StatusGone:
		if ended, err = none, l.gone(ctx, d.Owner); err != nil {
			cancel()
			return none, nil, err
		}
	default:
		var more bool
		if next, more = webhook.Next(d.Failed+1, time.Now(), response); more {
			status = webhook.StatusPending
		}
	}
	l.metrics.attempts.WithLabelValues(string(status)).Inc()
	if len(d.Attempts) == 0 {
		l.metrics.delay.Observe(began.Sub(time.UnixMilli(d.OccurredAt)).Seconds())
	}
	return ended, func() error { defer cancel(); return moved(l.deliveries.Attempted(ctx, d, attempt, status, next)) }, nil
}

// moved returns nil for ErrMoved: another process has made an attempt too.
func moved(err error) error {
	if errors.Is(err, webhook.ErrMoved) {
		return nil
	}
	return err
}

// draining returns a context that ends the drain time after ctx is done.
func (s *Service) draining(ctx context.Context) (context.Context, context.CancelFunc) {
	draining, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(s.drain, cancel)
		context.AfterFunc(draining, func() { timer.Stop() })
	})
	return draining, func() { stop(); cancel() }
}

// request makes one request. The response is nil if there was none.
func (s *Service) request(ctx context.Context, to *loaded, d webhook.Delivery) (*http.Response, webhook.Attempt, error) {
	now := time.Now()
	attempt := webhook.Attempt{At: now.UnixMilli()}
	r, err := webhook.NewRequest(ctx, to.URL, to.secrets, webhook.MessageID(d.EventID), now, []byte(d.Body))
	if err != nil {
		attempt.Error = "the URL is invalid"
		return nil, attempt, err
	}
	if parent := obs.TraceFrom(ctx).Parent; parent != "" {
		r.Header.Set("Traceparent", parent)
	}
	response, err := s.client.Do(r)
	if err == nil {
		attempt.HTTP = response.StatusCode
		attempt.Response, err = excerpt(response)
	}
	attempt.MS = time.Since(now).Milliseconds()
	if err != nil {
		attempt.Error = explain(err)
		return nil, attempt, err
	}
	return response, attempt, nil
}

// discard is the number of bytes of a response that are read, so that its connection can be used again.
const discard = 64 << 10

// excerpt reads a response and returns the beginning of a response other than 2xx.
func excerpt(response *http.Response) (string, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, discard))
	if err != nil || response.StatusCode/100 == 2 {
		return "", err
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(body[:min(len(body), webhook.MaxResponse)]), ""))
	return text, nil
}

// explain returns why there was no response, for the owner of the endpoint.
func explain(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Sprintf("the receiver did not respond within %s", webhook.Timeout)
	}
	if errors.Is(err, guard.ErrBlocked) {
		return err.Error()
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok {
		return "the host name " + unknown.Name + " cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the receiver is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the receiver does not speak TLS"
	}
	if refused, ok := errors.AsType[*net.OpError](err); ok && refused.Op == "dial" {
		return "the receiver does not accept connections"
	}
	return "the connection was closed before the response was complete"
}
