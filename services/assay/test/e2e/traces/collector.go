package traces

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configgrpc"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/confignet"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// collector is the OTLP receiver of the OpenTelemetry Collector, which keeps the received spans.
type collector struct {
	endpoint string // URL
	received *consumertest.TracesSink
}

// collect runs a collector until the test ends.
func collect(t *testing.T) *collector {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	factory := otlpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	cfg.Protocols.GRPC = configoptional.None[configgrpc.ServerConfig]()
	cfg.Protocols.HTTP = configoptional.Some(otlpreceiver.HTTPConfig{
		ServerConfig:  confighttp.ServerConfig{NetAddr: confignet.AddrConfig{Endpoint: addr, Transport: confignet.TransportTypeTCP}},
		TracesURLPath: "/v1/traces",
	})
	c := &collector{endpoint: "http://" + addr, received: &consumertest.TracesSink{}}
	receiver, err := factory.CreateTraces(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, c.received)
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := receiver.Shutdown(system.Within(t)); err != nil {
			t.Error(err)
		}
	})
	return c
}

// span is a received span.
type span struct {
	ptrace.Span
	service string
}

// trace returns the spans of a trace by id.
func (c *collector) trace(id string) map[string]span {
	spans := map[string]span{}
	for _, batch := range c.received.AllTraces() {
		for _, resource := range batch.ResourceSpans().All() {
			service, _ := resource.Resource().Attributes().Get("service.name")
			for _, scope := range resource.ScopeSpans().All() {
				for _, s := range scope.Spans().All() {
					if s.TraceID().String() == id {
						spans[s.SpanID().String()] = span{s, service.Str()}
					}
				}
			}
		}
	}
	return spans
}

// path returns the names of a span and its ancestors, the oldest first, each with its service.
func path(spans map[string]span, id string) string {
	var names []string
	for ; spans[id].service != ""; id = spans[id].ParentSpanID().String() {
		names = append(names, fmt.Sprintf("%s %s", spans[id].service, spans[id].Name()))
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

// paths returns the paths of all spans, sorted.
func paths(spans map[string]span) []string {
	var all []string
	for id := range spans {
		all = append(all, path(spans, id))
	}
	slices.Sort(all)
	return all
}
