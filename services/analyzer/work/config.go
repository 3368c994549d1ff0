package work

import (
	"fmt"
	"time"
)

// Config is the settings that the consumers of every area share.
type Config struct {
	Parallel int           `env:"ASSAY_ANALYZER_PARALLEL" envDefault:"16" use:"often" doc:"how many items of each area are processed concurrently"`
	Lease    time.Duration `env:"ASSAY_LEASE" envDefault:"30s" use:"often" doc:"how long a worker may send no renewal before another takes over its item"`
	Attempts int           `env:"ASSAY_ATTEMPTS" envDefault:"12" use:"often" doc:"how many attempts an item has before it is FAILED"`
	Drain    time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"maximum time for requests and work in progress to finish on shutdown"`
	Time     time.Duration `env:"ASSAY_ANALYSIS_TIME" envDefault:"1m" use:"often" doc:"how long one attempt at an item may take, in addition to the time for its bytes"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Parallel < 1:
		return fmt.Errorf("ASSAY_ANALYZER_PARALLEL is %d: must be at least 1", c.Parallel)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_LEASE is %s: must be at least 1s", c.Lease)
	case c.Attempts < 1:
		return fmt.Errorf("ASSAY_ATTEMPTS is %d: must be at least 1", c.Attempts)
	case c.Time < time.Second:
		return fmt.Errorf("ASSAY_ANALYSIS_TIME is %s: must be at least 1s", c.Time)
	}
	return nil
}
