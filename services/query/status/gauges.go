package status

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/sync/errgroup"
)

// gauges are what every process of query reports of the whole system, as read at the last sample. DeadLetters counts
// dead letters.
type gauges struct {
	items, oldest                 *prometheus.GaugeVec // of an area
	messages, bytes, limit, fill  *prometheus.GaugeVec // of a stream
	swept, findings, failed, stop *prometheus.GaugeVec // of an area
	read                          prometheus.Gauge
}

// newGauges registers the gauges, all of which are 0 until they are read.
func newGauges(reg prometheus.Registerer, areas, streams []string) gauges {
	factory := promauto.With(reg)
	by := func(label string, values []string, name, help string) *prometheus.GaugeVec {
		vec := factory.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{label})
		for _, value := range values {
			vec.WithLabelValues(value)
		}
		return vec
	}
	return gauges{
		items:    by("area", areas, "assay_backlog_items", "Items with work that is queued or in progress, of all priorities; above 20,000 work events, an estimate for areas whose items have several."),
		oldest:   by("area", areas, "assay_backlog_oldest_seconds", "Age of the oldest work event that is queued or in progress, 0 if there is none."),
		messages: by("stream", streams, "assay_stream_messages", "Messages in a NATS stream."),
		bytes:    by("stream", streams, "assay_stream_bytes", "Size of a NATS stream."),
		limit:    by("stream", streams, "assay_stream_limit_bytes", "Maximum size of a NATS stream, 0 if it has none."),
		fill:     by("stream", streams, "assay_stream_fill_ratio", "Used share of the limit of a NATS stream, in bytes or messages, from 0 to 1; 0 if it has none, or drops its oldest messages."),
		swept:    by("area", areas, "assay_sweep_last_run_timestamp_seconds", "Start of the last sweep, 0 if none has run."),
		findings: by("area", areas, "assay_sweep_last_findings", "Findings of the last sweep."),
		failed:   by("area", areas, "assay_sweep_last_failed", "Findings that the last sweep could not repair; a sweep that could not read everything counts as one."),
		stop:     by("area", areas, "assay_sweep_stops", "Kinds of orphans that sweeps do not delete until an operator allows it, because there are suspiciously many."),
		read: factory.NewGauge(prometheus.GaugeOpts{
			Name: "assay_status_read_timestamp_seconds", Help: "Time at which this process last read backlogs, streams and sweeps, 0 if it has not.",
		}),
	}
}

// measure reads what the gauges report. A part that cannot be read keeps its values.
func (s *Service) measure(ctx context.Context) error {
	now := time.Now()
	err := errors.Join(s.measureBacklogs(ctx, now), s.measureStreams(ctx), s.measureSweeps(ctx))
	if err == nil {
		s.gauges.read.Set(float64(now.UnixMilli()) / 1000)
	}
	return err
}

func (s *Service) measureBacklogs(ctx context.Context, now time.Time) error {
	all, err := s.backlogs(ctx)
	if err != nil {
		return err
	}
	for i, a := range s.areas {
		age := 0.0
		if oldest := all[i].oldest; !oldest.IsZero() {
			age = max(now.Sub(oldest).Seconds(), 0)
		}
		s.gauges.items.WithLabelValues(a.Name).Set(float64(all[i].items))
		s.gauges.oldest.WithLabelValues(a.Name).Set(age)
	}
	return nil
}

func (s *Service) measureStreams(ctx context.Context) error {
	var group errgroup.Group
	for _, name := range s.streams {
		group.Go(func() error {
			level, err := s.bus.Level(ctx, name)
			if err != nil {
				return err
			}
			s.gauges.messages.WithLabelValues(name).Set(float64(level.Messages))
			s.gauges.bytes.WithLabelValues(name).Set(float64(level.Bytes))
			s.gauges.limit.WithLabelValues(name).Set(float64(level.Limit))
			s.gauges.fill.WithLabelValues(name).Set(level.Fill)
			return nil
		})
	}
	return group.Wait()
}

func (s *Service) measureSweeps(ctx context.Context) error {
	reports, err := s.reports.List(ctx)
	if err != nil {
		return err
	}
	for _, report := range reports {
		if !s.observes(report.Name) {
			continue
		}
		failed := report.Last.Failed
		if report.Last.Error != "" {
			failed++
		}
		swept := 0.0 // an area can have a stop before its first run ends
		if !report.Last.At.IsZero() {
			swept = float64(report.Last.At.UnixMilli()) / 1000
		}
		s.gauges.swept.WithLabelValues(report.Name).Set(swept)
		s.gauges.findings.WithLabelValues(report.Name).Set(float64(report.Last.Found))
		s.gauges.failed.WithLabelValues(report.Name).Set(float64(failed))
		s.gauges.stop.WithLabelValues(report.Name).Set(float64(len(report.Stops)))
	}
	return nil
}
