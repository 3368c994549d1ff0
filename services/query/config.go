package query

import (
	"errors"
	"runtime"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/service"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/mcp"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/postgres"
	"github.com/assay-project/assay/services/query/wait"
)

// Config holds the settings of query.
type Config struct {
	Addr         string `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8083" use:"often" doc:"the address of the HTTP API and of health checks"`
	OperatorAddr string `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:8085" use:"often" doc:"the address of the operator endpoints: metrics, and live events of all owners with their ids; they require credentials only with ASSAY_AUTH=token"`

	service.Config
	Engines wasm.Settings
	Wait    wait.Config
	Live    live.Config
	Quotas  quota.Config
	Search  search.Config

	Webhooks webhook.Config
	MCP      mcp.Config

	Areas
}

// HTTPAddr returns the address on which the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	var index error
	if postgres.Is(c.Search.Index) {
		index = postgres.Validate(c.Search.Index)
	}
	return errors.Join(c.Wait.Validate(), c.Live.Validate(), c.Quotas.Validate(), index, c.Areas.validate())
}

// engines returns the configuration for compiling engines. Without a directory for compiled engines, every start compiles
// them again.
func (c Config) engines(log zerolog.Logger) wasm.Config {
	compiled, err := c.Engines.Config(runtime.GOMAXPROCS(0))
	if err != nil {
		log.Warn().Err(err).Msg("no folder for compiled engines: set ASSAY_ENGINES")
	}
	compiled.Started = obs.Engine
	return compiled
}
