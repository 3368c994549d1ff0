package process

import (
	"fmt"
	"net"

	"github.com/assay-project/assay/pkg/web"
)

// Exposure says who may reach the addresses of a program, and by which names.
type Exposure struct {
	PublicHosts    []string `env:"ASSAY_PUBLIC_HOSTS" doc:"the host names, comma-separated, that clients and proxies may address the server by, besides those of loopback and the IP address that they connect to; another Host is answered with 421"`
	AllowAnonymous bool     `env:"ASSAY_ALLOW_ANONYMOUS" doc:"true to listen beyond loopback although callers need no credentials, as on the network of a container or behind a proxy"`
}

// Check returns an error for an address beyond loopback, unless anonymous
// callers are allowed. variable is the setting that addr is of. An address that
// is not host:port is left to the listener to refuse.
func (e Exposure) Check(variable, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || e.AllowAnonymous || web.Loopback(host) {
		return nil
	}
	return fmt.Errorf("%s is %q, which others can reach without credentials: listen on loopback, such as 127.0.0.1, or set ASSAY_ALLOW_ANONYMOUS=true if a network or a proxy keeps strangers out",
		variable, addr)
}

// Hosts returns the names that requests may be addressed to: the public ones,
// and those of the given addresses.
func (e Exposure) Hosts(addrs ...string) (web.Hosts, error) {
	hosts, err := web.ParseHosts(append(addrs, e.PublicHosts...)...)
	if err != nil {
		return web.Hosts{}, fmt.Errorf("ASSAY_PUBLIC_HOSTS: %w", err)
	}
	return hosts, nil
}

// hosts returns those of both addresses, if these may be listened on.
func (o Options) hosts() (web.Hosts, error) {
	var names []string
	for _, at := range []struct{ variable, addr string }{{"ASSAY_ADDR", o.Addr}, {"ASSAY_OPERATOR_ADDR", o.OperatorAddr}} {
		if err := o.Exposure.Check(at.variable, at.addr); err != nil {
			return web.Hosts{}, err
		}
		if host, _, err := net.SplitHostPort(at.addr); err == nil {
			names = append(names, host)
		}
	}
	return o.Exposure.Hosts(names...)
}
