package analyzer

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// Config is the analyzer's settings.
type Config struct {
	Addr     string        `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8082" doc:"the address for health and metrics"`
	Parallel int           `env:"ASSAY_ANALYZER_PARALLEL" envDefault:"4" doc:"how many items of each area are analyzed at once"`
	Lease    time.Duration `env:"ASSAY_LEASE" envDefault:"30s" doc:"how long a worker may be silent before another takes its item over"`
	Attempts int           `env:"ASSAY_ATTEMPTS" envDefault:"12" doc:"how often an item is tried before it ends as FAILED"`
	Drain    time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long work in hand may take on shutdown"`

	ReservationExpires time.Duration `env:"ASSAY_RESERVATION_EXPIRES" envDefault:"24h" doc:"how old a reservation without bytes, or bytes without a file, are when a sweep removes them; longer than ASSAY_UPLOAD_EXPIRES and the longest upload together"`
	UploadExpires      time.Duration `env:"ASSAY_UPLOAD_EXPIRES" envDefault:"15m" doc:"how long a presigned upload can be started, as ingest has it"`

	Sweep    sweeper.Config
	Log      obs.Config
	Engines  engine.Config
	TextFile textfile.Config
	Feed     feed.Config
}

// HTTPAddr is where the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	switch {
	case c.Parallel < 1:
		return fmt.Errorf("ASSAY_ANALYZER_PARALLEL is %d: give at least 1", c.Parallel)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_LEASE is %s: give at least 1s", c.Lease)
	case c.Attempts < 1:
		return fmt.Errorf("ASSAY_ATTEMPTS is %d: give at least 1", c.Attempts)
	case c.ReservationExpires <= c.UploadExpires:
		return fmt.Errorf("ASSAY_RESERVATION_EXPIRES is %s: give more than ASSAY_UPLOAD_EXPIRES, which is %s", c.ReservationExpires, c.UploadExpires)
	}
	return c.Sweep.Validate()
}
