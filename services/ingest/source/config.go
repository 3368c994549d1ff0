package source

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/assay-project/assay/pkg/guard"
)

// Config is what holds for all sources.
type Config struct {
	Every       time.Duration `env:"ASSAY_SOURCES_EVERY" envDefault:"10s" doc:"how often ingest looks for sources of the feed that are due"`
	Parallel    int           `env:"ASSAY_SOURCES_PARALLEL" envDefault:"4" doc:"how many sources one ingest polls at once"`
	MinInterval time.Duration `env:"ASSAY_SOURCES_MIN_INTERVAL" envDefault:"1m" doc:"the shortest interval that a source may have"`
	MaxPause    time.Duration `env:"ASSAY_SOURCES_MAX_PAUSE" envDefault:"6h" doc:"the longest pause after failures, which doubles with each"`
	Timeout     time.Duration `env:"ASSAY_SOURCES_TIMEOUT" envDefault:"20s" doc:"how long one request to a source may take"`
	Lease       time.Duration `env:"ASSAY_SOURCES_LEASE" envDefault:"2m" doc:"after how long another ingest goes on with a source whose poll does not end; a poll has three quarters of it"`
	MaxBody     int64         `env:"ASSAY_SOURCES_MAX_BODY" envDefault:"10485760" doc:"the largest answer of a source in bytes, decompressed"`

	AllowNetworks []netip.Prefix `env:"ASSAY_SOURCES_ALLOW_NETWORKS" doc:"networks that sources may be in although they are not public, such as 10.1.0.0/16,fd00:1::/64"`
	AllowPorts    []uint16       `env:"ASSAY_SOURCES_ALLOW_PORTS" doc:"ports that sources may have besides 80 and 443, such as 8080"`
}

// Validate returns an error that names the setting that cannot be used.
func (c Config) Validate() error {
	switch {
	case c.Every < time.Millisecond:
		return fmt.Errorf("ASSAY_SOURCES_EVERY is %s: give at least 1ms", c.Every)
	case c.Parallel < 1:
		return fmt.Errorf("ASSAY_SOURCES_PARALLEL is %d: give at least 1", c.Parallel)
	case c.MinInterval < time.Millisecond:
		return fmt.Errorf("ASSAY_SOURCES_MIN_INTERVAL is %s: give at least 1ms", c.MinInterval)
	case c.MaxPause < c.MinInterval:
		return fmt.Errorf("ASSAY_SOURCES_MAX_PAUSE is %s: give at least ASSAY_SOURCES_MIN_INTERVAL, which is %s", c.MaxPause, c.MinInterval)
	case c.Timeout < time.Millisecond:
		return fmt.Errorf("ASSAY_SOURCES_TIMEOUT is %s: give at least 1ms", c.Timeout)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_SOURCES_LEASE is %s: give at least 1s", c.Lease)
	case c.MaxBody < 1:
		return fmt.Errorf("ASSAY_SOURCES_MAX_BODY is %d: give at least 1 byte", c.MaxBody)
	}
	return nil
}

func (c Config) policy() guard.Policy {
	return guard.Policy{
		Networks: c.AllowNetworks, NetworksSetting: "ASSAY_SOURCES_ALLOW_NETWORKS",
		Ports: c.AllowPorts, PortsSetting: "ASSAY_SOURCES_ALLOW_PORTS",
	}
}
