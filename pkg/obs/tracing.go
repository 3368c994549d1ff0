package obs

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// flushTime limits the export of the remaining spans when a process ends.
const flushTime = 5 * time.Second

// OpenTracing returns a context whose spans are exported with OTLP over HTTP, as configured by the standard environment
// variables of OpenTelemetry (OTEL_*). Without an endpoint in them, no span is recorded and ctx is returned unchanged. It
// returns an error that names an unsupported variable. The caller calls flush after the last span has ended.
func OpenTracing(ctx context.Context, service, version string, log zerolog.Logger, reg prometheus.Registerer) (traced context.Context, flush func(), err error) {
	on, err := exporting()
	if err != nil || !on {
		return ctx, func() {}, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return ctx, nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	// Attributes from the environment take precedence.
	described, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName(service), semconv.ServiceVersion(version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return ctx, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(newReporter(exporter, log, reg)), sdk.WithResource(described), sdk.WithIDGenerator(SpanIDs()))
	return WithTracer(ctx, provider), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn().Err(err).Msg("the last spans were not exported")
		}
	}, nil
}

// exporting reports whether the environment configures an export. Unlike the OpenTelemetry specification, the default is
// none, unless an endpoint is set.
func exporting() (bool, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "none":
		return false, nil
	case "":
		if cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) == "" {
			return false, nil
		}
	case "otlp":
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: must be otlp or none", exporter)
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf")
	if protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: must be http/protobuf", protocol)
	}
	return true, nil
}

// reporter counts and logs failed exports, which otherwise the SDK reports to a global handler.
type reporter struct {
	sdk.SpanExporter
	log      zerolog.Logger
	exported *prometheus.CounterVec
}

func newReporter(exporter sdk.SpanExporter, log zerolog.Logger, reg prometheus.Registerer) *reporter {
	r := &reporter{exporter, log, promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "assay_spans_exported_total", Help: "Spans of traces, by the result of their export (ok, error).",
	}, []string{"result"})}
	r.exported.WithLabelValues("ok")
	r.exported.WithLabelValues("error")
	return r
}

// ExportSpans returns nil also after a failure.
func (r *reporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	result := "ok"
	if err := r.SpanExporter.ExportSpans(ctx, spans); err != nil {
		result = "error"
		r.log.Warn().Err(err).Int("spans", len(spans)).Msg("cannot export spans")
	}
	r.exported.WithLabelValues(result).Add(float64(len(spans)))
	return nil
}
