package operation

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var update = flag.Bool("update", false, "write docs/metrics.md")

const metricsIntro = `# Metrics

Every program serves its metrics in the Prometheus text format at ` + "`/metrics`" + ` of its operator address, with the metrics of
the Go runtime (` + "`go_*`" + `) and of the process (` + "`process_*`" + `). [Monitoring](production.md#monitoring) describes when to act.

- The series of all label values that are known in advance exist from the start, with the value 0. Series of
  ` + "`assay_http_requests_total`" + ` exist from the start for the successful statuses of each operation and for 500 and 503; those of
  other statuses, and durations, after the first request. Those of a feed source exist while the source exists.
- Every process of query reports the same values of ` + "`assay_backlog_*`, `assay_dead_letters`, `assay_stream_*` and `assay_sweep_last_*`" + `,
  at most 10 seconds old: use their maximum, not their sum. If ` + "`assay_status_read_timestamp_seconds`" + ` is old, so are they.
- ` + "`assay_backlog_items`" + ` counts items, not the events of their steps. Above 20,000 events of the library, it is an estimate
  from the last count of events for each item.

Generated from the ` + "`/metrics`" + ` of the running programs. After a change:
` + "`go test ./services/assay/test/e2e/operation -run MetricsDocument -update`" + `.

| metric | type | unit | labels | programs | meaning |
|---|---|---|---|---|---|
`

// TestMetricsDocument checks that docs/metrics.md describes the metrics that the programs export, and that they follow the
// conventions of Prometheus. No requests are made, other than the one that creates a feed source: the series exist from
// the start.
func TestMetricsDocument(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t)
	secure := writeCertificate(t)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	programs := []exporter{{"ingest", ingest.Operator}, {"analyzer", c.Service(t, "analyzer").Operator}, {"query", query.Operator}}
	serve := system.StartServer(t, t.TempDir())
	programs = append(programs, exporter{"assay gateway", startGateway(t, c, ingest, query, secure)}, exporter{"assay serve", serve.Operator})
	source := `{"kind":"rss","url":"https://example.com/feed","enabled":false,"tags":["go"]}`
	for _, operator := range []string{ingest.Operator, serve.Operator} {
		resp, body := system.System{HTTP: operator}.Ask(t, http.MethodPut, "/v1/feed/sources/books", map[string]string{"Content-Type": "application/json"}, source)
		if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
			t.Fatalf("the feed source: %d %s, want 201", resp.StatusCode, body)
		}
	}
	for _, p := range programs { // the requests for metrics have series after the first one
		p.scrape(t)
	}
	var found described
	system.Eventually(t, func() error { // consumers and sources appear soon after the start
		found = described{}
		for _, p := range programs {
			if err := found.add(t, p); err != nil {
				return err
			}
		}
		return found.lacks(t)
	})
	for _, p := range programs {
		problems, err := promlint.New(strings.NewReader(p.product(t))).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: got the problems %v, error %v, want names and units as Prometheus recommends", p.name, problems, err)
		}
	}
	want, path := found.document(len(programs)), system.Repository(t, "docs/metrics.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("docs/metrics.md is out of date, error %v (run the test with -update); it should be\n%s", err, want)
	}
}

// withCertificate is the metric of every program with a certificate, which in the test is the gateway.
const withCertificate = "assay_tls_certificate_expiry_timestamp_seconds"

// metric is what the programs export under a name.
type metric struct {
	kind, help string
	labels     map[string]map[string]bool // values by label
	programs   []string
}

type described map[string]*metric

// add reads the metrics of a program.
func (d described) add(t *testing.T, p exporter) error {
	families, err := p.families(t)
	for name, family := range families {
		if !strings.HasPrefix(name, "assay_") {
			continue
		}
		m := d[name]
		if m == nil {
			m = &metric{kind: strings.ToLower(family.GetType().String()), help: family.GetHelp(), labels: map[string]map[string]bool{}}
			d[name] = m
		}
		if family.GetHelp() != m.help {
			t.Errorf("%s of %s has the help %q, and another program %q", name, p.name, family.GetHelp(), m.help)
		}
		m.programs = append(m.programs, p.name)
		for _, series := range family.GetMetric() {
			m.add(series)
		}
	}
	return err
}

func (m *metric) add(series *dto.Metric) {
	for _, label := range series.GetLabel() {
		if m.labels[label.GetName()] == nil {
			m.labels[label.GetName()] = map[string]bool{}
		}
		m.labels[label.GetName()][label.GetValue()] = true
	}
}

// lacks returns an error if a consumer, an area or a stream has no series yet.
func (d described) lacks(t *testing.T) error {
	t.Helper()
	cfg, err := config.Load[setup.Config]([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"})
	if err != nil {
		t.Fatal(err)
	}
	for _, area := range cfg.Areas() {
		for _, want := range []struct{ metric, label, value string }{
			{"assay_analyses_total", "area", area.Name}, {"assay_backlog_items", "area", area.Name}, {"assay_sweep_items_total", "area", area.Name},
			{"assay_sweep_stops", "area", area.Name}, {"assay_stream_messages", "stream", area.Work.Stream},
		} {
			if err := d.has(want.metric, want.label, want.value); err != nil {
				return err
			}
		}
		for _, consumer := range area.Consumers {
			if err := d.has("assay_consumer_recreated_total", "consumer", consumer); err != nil {
				return err
			}
		}
	}
	return cmp.Or(d.has("assay_work_in_flight", "consumer", "ingest-notice"), d.has("assay_work_in_flight", "consumer", "query-webhook"),
		d.has("assay_source_polls_total", "source", "books"), d.has("assay_http_requests_total", "status", "503"))
}

func (d described) has(name, label, value string) error {
	if d[name] == nil || !d[name].labels[label][value] {
		return fmt.Errorf("there is no series %s{%s=%q}", name, label, value)
	}
	return nil
}

// document returns the text of docs/metrics.md. all is the number of programs.
func (d described) document(all int) string {
	var b strings.Builder
	b.WriteString(metricsIntro)
	byValues := map[string]map[string][]string{} // metrics by values, by label
	for _, name := range slices.Sorted(maps.Keys(d)) {
		m := d[name]
		programs := strings.Join(m.programs, ", ")
		if len(m.programs) == all || name == withCertificate {
			programs = "all"
		}
		var labels []string
		for _, label := range slices.Sorted(maps.Keys(m.labels)) {
			labels = append(labels, "`"+label+"`")
			values := valuesOf(name, label, slices.Sorted(maps.Keys(m.labels[label])))
			if byValues[label] == nil {
				byValues[label] = map[string][]string{}
			}
			byValues[label][values] = append(byValues[label][values], "`"+name+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, m.kind, unitOf(name), strings.Join(labels, ", "), programs, m.help)
	}
	b.WriteString("\n## Labels\n\n| label | metrics | values |\n|---|---|---|\n")
	for _, label := range slices.Sorted(maps.Keys(byValues)) {
		for _, values := range slices.Sorted(maps.Keys(byValues[label])) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", label, strings.Join(byValues[label][values], ", "), values)
		}
	}
	return b.String()
}

// valuesOf describes the values of a label.
func valuesOf(metric, label string, known []string) string {
	http := strings.HasPrefix(metric, "assay_http_")
	switch {
	case http && label == "route":
		return "the path of an operation, such as `/v1/files/{id}`, or `unmatched`"
	case http && label == "status":
		return "HTTP statuses; 499: the client disconnected before the response"
	case http && label == "method":
		return "HTTP methods, `other` for unknown ones"
	case label == "source":
		return "names of feed sources"
	case metric == "assay_build_info":
		return map[string]string{"commit": "hash of the commit; empty: unknown", "go": "version of Go", "version": "version of the program"}[label]
	}
	for i, value := range known {
		if known[i] = "`" + value + "`"; value == "" {
			known[i] = "empty: none"
		}
	}
	return strings.Join(known, ", ")
}

// unitOf returns the unit in the name of a metric.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []struct{ end, name string }{
		{"_timestamp_seconds", "seconds since 1970"}, {"_seconds", "seconds"}, {"_bytes", "bytes"}, {"_dollars", "US dollars"}, {"_ratio", "0 to 1"},
	} {
		if strings.HasSuffix(name, unit.end) {
			return unit.name
		}
	}
	return ""
}
