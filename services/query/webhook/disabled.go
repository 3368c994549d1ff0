package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/webhook"
)

// disabledData is the data of the payload of webhook.disabled.
type disabledData struct {
	EventID  string `json:"eventId"`
	Endpoint string `json:"endpoint"` // id
	Name     string `json:"name,omitempty"`
	Reason   string `json:"reason"`
}

// disabled reports that an endpoint will be disabled: to the log, to the metrics, and to the other endpoints of its owner.
func (s *Service) disabled(ctx context.Context, endpoint webhook.Endpoint, health webhook.Health) error {
	s.metrics.disabled.Inc()
	s.log.Warn().Str("endpoint", endpoint.ID).Str("reason", health.Reason).Msg("webhook endpoint disabled")
	at := health.DisabledAt.Truncate(time.Millisecond)
	e := webhook.Event{
		ID: fmt.Sprintf("webhook.disabled/%s/%d", endpoint.ID, at.UnixMilli()), Type: "webhook.disabled", Area: webhook.Area, Owner: endpoint.Owner, At: at, About: endpoint.ID,
	}
	e.Data = disabledData{e.ID, endpoint.ID, endpoint.Name, health.Reason}
	return s.Emit(ctx, e)
}
