package web

import (
	"context"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// TestOperationsHaveSeriesFromTheStart checks that the series of an operation with its success and the failures of a server
// are 0 before the first request, and that there are no others.
func TestOperationsHaveSeriesFromTheStart(t *testing.T) {
	registry := prometheus.NewRegistry()
	router := NewRouter(Options{Registry: registry})
	Register(router, huma.Operation{OperationID: "make", Method: http.MethodPost, Path: "/v1/things", DefaultStatus: http.StatusCreated, Errors: []int{http.StatusConflict}},
		func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			for _, label := range series.GetLabel() {
				if family.GetName() == "assay_http_requests_total" && label.GetName() == "status" {
					found[label.GetValue()] = series.GetCounter().GetValue()
				}
			}
		}
	}
	for _, status := range []string{"201", "500", "503"} {
		if count, there := found[status]; !there || count != 0 || len(found) != 3 {
			t.Errorf("got the series %v, want 201, 500 and 503 with 0", found)
		}
	}
}
