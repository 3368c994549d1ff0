package scaling

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// processes are processes of query. Each serves the backlogs of the whole system, as the package status of query does.
type processes []*httptest.Server

// backlog is the number of items of each area.
type backlog map[string]float64

func (b backlog) sum() (all float64) {
	for _, items := range b {
		all += items
	}
	return all
}

// serve starts processes of query, each with the backlog that it has read last.
func serve(t *testing.T, read ...backlog) (all processes) {
	t.Helper()
	for _, b := range read {
		registry := prometheus.NewRegistry()
		gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assay_backlog_items", Help: "Items with work."}, []string{"area"})
		registry.MustRegister(gauge)
		for area, items := range b {
			gauge.WithLabelValues(area).Set(items)
		}
		server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		t.Cleanup(server.Close)
		all = append(all, server)
	}
	return all
}

// prometheusOf starts a server with the query call of Prometheus. Its engine is that of Prometheus, and its storage has what
// a scrape of the processes returns, with the labels that the Prometheus operator adds.
func prometheusOf(t *testing.T, of processes) string {
	t.Helper()
	var series strings.Builder
	series.WriteString("load 15s\n")
	for i, process := range of {
		response, err := process.Client().Get(process.URL)
		if err != nil {
			t.Fatal(err)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(response.Body)
		if _, drained := io.Copy(io.Discard, response.Body); err != nil || drained != nil || response.Body.Close() != nil {
			t.Fatal(err, drained)
		}
		for _, metric := range families["assay_backlog_items"].Metric {
			for _, namespace := range []string{"assay", "other"} { // a second installation
				fmt.Fprintf(&series, "  assay_backlog_items{area=%q, namespace=%q, job=\"assay-query\", pod=\"query-%d\"} %v\n",
					metric.Label[0].GetValue(), namespace, i, metric.Gauge.GetValue())
			}
		}
	}
	storage := promqltest.LoadedStorage(t, series.String())
	engine := promqltest.NewTestEngine(t, false, 5*time.Minute, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, err := engine.NewInstantQuery(r.Context(), storage, nil, r.FormValue("query"), time.Unix(0, 0))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		defer query.Close()
		answer(t, w, query.Exec(r.Context()))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// answer writes a result as GET /api/v1/query of Prometheus does.
func answer(t *testing.T, w http.ResponseWriter, result *promql.Result) {
	vector, err := result.Vector()
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	found := []any{}
	for _, sample := range vector {
		found = append(found, map[string]any{"metric": map[string]string{}, "value": []any{sample.T, fmt.Sprint(sample.F)}})
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "vector", "result": found}}); err != nil {
		t.Error(err)
	}
}
