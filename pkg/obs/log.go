package obs

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"
)

// Config contains the logging settings.
type Config struct {
	LogLevel  string `env:"ASSAY_LOG_LEVEL" envDefault:"info" use:"often" doc:"the lowest level to log: trace, debug, info, warn or error"`
	LogFormat string `env:"ASSAY_LOG_FORMAT" envDefault:"auto" doc:"console or json; auto is console on a terminal and json otherwise"`
}

// timeFormat is RFC 3339 in UTC with exactly three decimals, so that lines sort as text.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// NewLogger returns the logger of one process. Each line has the time in UTC and the service's
// name. Empty settings select their defaults. The caller closes out. An error names the invalid
// variable.
func NewLogger(cfg Config, out io.Writer, service string) (zerolog.Logger, error) {
	level := zerolog.InfoLevel
	if cfg.LogLevel != "" {
		var err error
		level, err = zerolog.ParseLevel(cfg.LogLevel)
		if err != nil || level < zerolog.TraceLevel || level > zerolog.ErrorLevel {
			return zerolog.Nop(), fmt.Errorf("ASSAY_LOG_LEVEL is %q: must be trace, debug, info, warn or error", cfg.LogLevel)
		}
	}
	switch cfg.LogFormat {
	case "console":
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: "15:04:05.000"}
	case "json":
	case "auto", "":
		if terminal(out) {
			out = zerolog.ConsoleWriter{Out: out, TimeFormat: "15:04:05.000"}
		}
	default:
		return zerolog.Nop(), fmt.Errorf("ASSAY_LOG_FORMAT is %q: must be auto, console or json", cfg.LogFormat)
	}
	// zerolog's own timestamp takes its format from a package variable, so a hook writes the time.
	return zerolog.New(out).Level(level).Hook(zerolog.HookFunc(stamp)).With().Str("service", service).Logger(), nil
}

func stamp(e *zerolog.Event, _ zerolog.Level, _ string) {
	e.Str(zerolog.TimestampFieldName, time.Now().UTC().Format(timeFormat))
}

// terminal reports whether out is a character device. It is true for /dev/null too, where the
// format does not matter.
func terminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Log returns base with the request_id, trace_id and span_id of ctx, as far as there are any.
func Log(ctx context.Context, base zerolog.Logger) zerolog.Logger {
	requestID, _ := ctx.Value(requestKey{}).(string)
	span := trace.SpanContextFromContext(ctx)
	if requestID == "" && !span.HasTraceID() {
		return base
	}
	with := base.With()
	if requestID != "" {
		with = with.Str("request_id", requestID)
	}
	if span.HasTraceID() {
		with = with.Str("trace_id", span.TraceID().String())
	}
	if span.HasSpanID() {
		with = with.Str("span_id", span.SpanID().String())
	}
	return with.Logger()
}
