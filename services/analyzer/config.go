package analyzer

import (
	"errors"
	"runtime"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/service"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Config holds the settings of the analyzer.
type Config struct {
	Addr         string `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8082" use:"often" doc:"the address of the health checks"`
	OperatorAddr string `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:8086" use:"often" doc:"the address of the operator endpoints, such as metrics and checks of photo providers; they require credentials only with ASSAY_AUTH=token"`

	service.Config
	Engines wasm.Settings
	Work    work.Config
	Sweep   sweeper.Config

	Areas
}

// HTTPAddr returns the address on which the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	return errors.Join(c.Work.Validate(), c.Sweep.Validate(), c.Areas.validate())
}

// engines returns the configuration for compiling engines. Without a directory for compiled engines, every
// start compiles them again.
func (c Config) engines(log zerolog.Logger) wasm.Config {
	compiled, err := c.Engines.Config(runtime.GOMAXPROCS(0))
	if err != nil {
		log.Warn().Err(err).Msg("no folder for compiled engines: set ASSAY_ENGINES")
	}
	compiled.Started = obs.Engine
	return compiled
}
