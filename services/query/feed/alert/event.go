package alert

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/webhook"
)

// Data is the data of the event of an alert.
type Data struct {
	Name       string            `json:"name"`
	Kind       string            `json:"kind"`
	State      string            `json:"state"` // firing or ok
	Since      time.Time         `json:"since"`
	Value      float64           `json:"value"`     // as in alert.State
	Threshold  float64           `json:"threshold"` // what the value is compared with
	Count      int               `json:"count"`     // items in the window
	Usual      *float64          `json:"usual,omitempty"`
	Window     string            `json:"window"`
	Tag        string            `json:"tag,omitempty"`
	Keyword    string            `json:"keyword,omitempty"`
	Source     string            `json:"source,omitempty"`
	SourceType string            `json:"sourceType,omitempty"`
	Items      []alert.CauseItem `json:"items,omitempty"`
	Words      []alert.CauseWord `json:"words,omitempty"`
}

// eventOf returns the event of the status of an alert.
func eventOf(name string, s alert.State) webhook.Event {
	set := s.Settings
	return webhook.Event{
		ID: s.EventID(name), Type: "feed.alert." + s.Turn(), Area: feed.Name, At: s.Since, Data: Data{
			Name: name, Kind: set.Kind, State: s.Status, Since: s.Since, Value: s.Value, Threshold: s.Limit, Count: s.Count, Usual: s.Usual, Window: set.Window,
			Tag: set.Tag, Keyword: set.Keyword, Source: set.Source, SourceType: set.SourceType, Items: s.Cause.Items, Words: s.Cause.Words,
		},
	}
}

// signalOf returns the live event of the status of an alert.
func signalOf(name string, s alert.State) event.Event {
	return feed.NewAlert(&event.FeedAlert{
		Name: name, Kind: s.Settings.Kind, State: s.Status, Since: timestamppb.New(s.Since), Value: s.Value, Threshold: s.Limit,
	}, s.EventID(name))
}

type metrics struct {
	firing, evaluated prometheus.Gauge
	failed            prometheus.Counter
	changes           *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	made := promauto.With(reg)
	m := &metrics{
		firing: made.NewGauge(prometheus.GaugeOpts{
			Name: "assay_feed_alerts_firing", Help: "Alerts of the feed that were firing at the last evaluation by this process.",
		}),
		evaluated: made.NewGauge(prometheus.GaugeOpts{
			Name: "assay_feed_alerts_evaluated_timestamp_seconds", Help: "End of the last minute for which this process evaluated all alerts of the feed, 0 for none.",
		}),
		failed: made.NewCounter(prometheus.CounterOpts{
			Name: "assay_feed_alert_failures_total", Help: "Evaluations of an alert that failed and are repeated.",
		}),
		changes: made.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_feed_alert_changes_total", Help: "Events of alerts that were sent, by firing and resolved.",
		}, []string{"state"}),
	}
	for _, turn := range alert.Turns() {
		m.changes.WithLabelValues(turn)
	}
	return m
}
