package library

import (
	"net/netip"
	"time"

	"github.com/assay-project/assay/pkg/guard"
)

// Imports are the settings of page imports. Ingest checks URLs against them, and the analyzer enforces them on every
// request.
type Imports struct {
	AllowNetworks []netip.Prefix `env:"ASSAY_PAGES_ALLOW_NETWORKS" doc:"private networks from which pages may be imported, such as 10.1.0.0/16,fd00:1::/64"`
	AllowPorts    []uint16       `env:"ASSAY_PAGES_ALLOW_PORTS" doc:"ports from which pages may be imported, in addition to 80 and 443, such as 8080"`
}

// Limits of an import.
const (
	MaxURL      = 1024             // bytes of a URL, also after redirects
	MaxPage     = 20 << 20         // bytes of a response, decompressed
	ImportTime  = 30 * time.Second // timeout of a request with its redirects and body
	ImportTypes = "web pages, PDF and pictures"
)

// Policy returns the policy for the addresses that may be requested.
func (c Imports) Policy() guard.Policy {
	return guard.Policy{
		Networks: c.AllowNetworks, NetworksSetting: "ASSAY_PAGES_ALLOW_NETWORKS",
		Ports: c.AllowPorts, PortsSetting: "ASSAY_PAGES_ALLOW_PORTS",
	}
}
