package source

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/assay-project/assay/pkg/guard"
)

const (
	parallel       = 4                // maximum number of sources that one ingest polls concurrently
	requestTimeout = 20 * time.Second // timeout of one request to a source
	maxPause       = 6 * time.Hour    // maximum pause after failures; the pause doubles with each failure
)

// Config contains the settings of all sources.
type Config struct {
	Every       time.Duration `env:"ASSAY_SOURCES_EVERY" envDefault:"10s" doc:"interval at which ingest checks for feed sources that are due"`
	MinInterval time.Duration `env:"ASSAY_SOURCES_MIN_INTERVAL" envDefault:"1m" use:"often" doc:"the shortest interval that a feed source may have"`
	Lease       time.Duration `env:"ASSAY_SOURCES_LEASE" envDefault:"2m" doc:"maximum duration of a poll before another ingest process takes it over"`
	MaxBody     int64         `env:"ASSAY_SOURCES_MAX_BODY" envDefault:"10485760" use:"often" doc:"the largest response of a feed source in bytes, decompressed"`

	AllowNetworks []netip.Prefix `env:"ASSAY_SOURCES_ALLOW_NETWORKS" use:"often" doc:"private networks that may contain feed sources, such as 10.1.0.0/16,fd00:1::/64"`
	AllowPorts    []uint16       `env:"ASSAY_SOURCES_ALLOW_PORTS" use:"often" doc:"ports that feed sources may use besides 80 and 443, such as 8080"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Every < time.Millisecond:
		return fmt.Errorf("ASSAY_SOURCES_EVERY is %s: must be at least 1ms", c.Every)
	case c.MinInterval < time.Millisecond || c.MinInterval > maxPause:
		return fmt.Errorf("ASSAY_SOURCES_MIN_INTERVAL is %s: must be between 1ms and %s", c.MinInterval, maxPause)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_SOURCES_LEASE is %s: must be at least 1s", c.Lease)
	case c.MaxBody < 1:
		return fmt.Errorf("ASSAY_SOURCES_MAX_BODY is %d: must be at least 1 byte", c.MaxBody)
	}
	return nil
}

func (c Config) policy() guard.Policy {
	return guard.Policy{
		Networks: c.AllowNetworks, NetworksSetting: "ASSAY_SOURCES_ALLOW_NETWORKS",
		Ports: c.AllowPorts, PortsSetting: "ASSAY_SOURCES_ALLOW_PORTS",
	}
}
