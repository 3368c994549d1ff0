package work

import (
	"fmt"
	"time"
)

// Config is the settings that the consumers of every area share.
type Config struct {
	Parallel     int           `env:"ASSAY_ANALYZER_PARALLEL" envDefault:"16" doc:"how many items of each area are processed at once"`
	Lease        time.Duration `env:"ASSAY_LEASE" envDefault:"30s" doc:"how long a worker may be silent before another takes over its item"`
	Attempts     int           `env:"ASSAY_ATTEMPTS" envDefault:"12" doc:"how many times an item is tried before it ends as FAILED"`
	Drain        time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long work in progress may take on shutdown"`
	Time         time.Duration `env:"ASSAY_ANALYSIS_TIME" envDefault:"1m" doc:"how long one attempt at an item may take, in addition to the time for its bytes"`
	Abandoned    int           `env:"ASSAY_ABANDONED" envDefault:"8" doc:"how many attempts of an area may run beyond their time; with one more the process exits, to be restarted"`
	AbandonedFor time.Duration `env:"ASSAY_ABANDONED_TIME" envDefault:"5m" doc:"how long an attempt may run beyond its time; then the process exits, to be restarted"`
}

// Validate returns an error that names the setting that cannot be used.
func (c Config) Validate() error {
	switch {
	case c.Parallel < 1:
		return fmt.Errorf("ASSAY_ANALYZER_PARALLEL is %d: give at least 1", c.Parallel)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_LEASE is %s: give at least 1s", c.Lease)
	case c.Attempts < 1:
		return fmt.Errorf("ASSAY_ATTEMPTS is %d: give at least 1", c.Attempts)
	case c.Time < time.Second:
		return fmt.Errorf("ASSAY_ANALYSIS_TIME is %s: give at least 1s", c.Time)
	case c.Abandoned < 1:
		return fmt.Errorf("ASSAY_ABANDONED is %d: give at least 1", c.Abandoned)
	case c.AbandonedFor < time.Second:
		return fmt.Errorf("ASSAY_ABANDONED_TIME is %s: give at least 1s", c.AbandonedFor)
	}
	return nil
}
