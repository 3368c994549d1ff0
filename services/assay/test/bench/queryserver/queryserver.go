// Package queryserver runs the query service in the process of a benchmark.
package queryserver

import (
	"context"
	"net/http/httptest"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query"
)

// Start opens the service with the settings in environ and serves its operations over HTTP. The caller may call Work of
// the service, and must close the server and then the service.
func Start(ctx context.Context, environ []string) (*query.Service, *httptest.Server, error) {
	cfg, err := config.Load[query.Config](environ)
	if err != nil {
		return nil, nil, err
	}
	registry := obs.NewRegistry()
	service, err := query.Open(ctx, cfg, zerolog.Nop(), registry)
	if err != nil {
		return nil, nil, err
	}
	router := web.NewRouter(web.Options{Title: "query", Registry: registry})
	service.Routes(router)
	return service, httptest.NewServer(router), nil
}
