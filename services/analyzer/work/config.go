package work

import (
	"fmt"
	"time"
)

// Config holds the settings shared by the consumers of all areas.
type Config struct {
	Parallel int           `env:"ASSAY_ANALYZER_PARALLEL" envDefault:"16" use:"often" doc:"the maximum number of items in each area that are processed concurrently"`
	Lease    time.Duration `env:"ASSAY_LEASE" envDefault:"30s" use:"often" doc:"the time without a renewal after which another worker takes over an item"`
	Attempts int           `env:"ASSAY_ATTEMPTS" envDefault:"12" use:"often" doc:"the number of attempts after which an item becomes FAILED"`
	Drain    time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"maximum time for requests and work in progress to finish on shutdown"`
	Time     time.Duration `env:"ASSAY_ANALYSIS_TIME" envDefault:"1m" use:"often" doc:"the maximum time of one attempt at an item, in addition to the time for its bytes"`
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
