package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts the requests of one process. The labels contain the route pattern instead of the
// path, and only methods that HTTP defines, so that clients cannot create series.
//
// From the start, every operation has the series of assay_http_requests_total with its successful statuses and the two
// failures of a server, 500 and 503, so that a first failure is an increase. Other statuses, and the durations, which have
// 17 series for each status, have series after the first request.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

func newMetrics(registry *prometheus.Registry) metrics {
	return metrics{
		requests: shared(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_http_requests_total",
			Help: "Completed requests. Status 499: the client disconnected before the response.",
		}, []string{"method", "route", "status"})),
		duration: shared(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_http_request_duration_seconds",
			Help: "Time from the request header to the end of the handler; live event streams count in full.",
			// From a read of one item to a 30 s wait and an upload.
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"method", "route", "status"})),
		inFlight: shared(registry, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "assay_http_requests_in_flight",
			Help: "Requests in progress, open live event streams included.",
		})),
	}
}

// shared registers c, or returns the existing collector if another router of the process has
// registered it.
func shared[C prometheus.Collector](registry *prometheus.Registry, c C) C {
	err := registry.Register(c)
	if there, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if existing, ok := there.ExistingCollector.(C); ok {
			return existing
		}
	}
	if err != nil {
		panic(err) // the name belongs to another kind of metric: a bug
	}
	return c
}

// expect creates the series of an operation.
func (m metrics) expect(op *huma.Operation) {
	failures := []int{http.StatusInternalServerError, http.StatusServiceUnavailable}
	for status := range op.Responses {
		if code, err := strconv.Atoi(status); err == nil && code < http.StatusBadRequest { // not the status "default"
			m.requests.WithLabelValues(op.Method, op.Path, status)
		}
	}
	for _, status := range failures {
		m.requests.WithLabelValues(op.Method, op.Path, strconv.Itoa(status))
	}
}

func (m metrics) observe(method, route string, status int, took time.Duration) {
	known := []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions,
	}
	if !slices.Contains(known, method) {
		method = "other"
	}
	labels := []string{method, route, strconv.Itoa(status)}
	m.requests.WithLabelValues(labels...).Inc()
	m.duration.WithLabelValues(labels...).Observe(took.Seconds())
}
