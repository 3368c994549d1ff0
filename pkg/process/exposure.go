package process

import (
	"fmt"
	"net"

	"github.com/assay-project/assay/pkg/web"
)

// Exposure specifies who can reach the addresses of a program, and under which host names.
type Exposure struct {
	Auth           string   `env:"ASSAY_AUTH" envDefault:"none" use:"often" doc:"none: X-Owner-Id names the owner without authentication; token: every call requires an API key, a token of the identity provider or a session; must be the same for all programs"`
	PublicHosts    []string `env:"ASSAY_PUBLIC_HOSTS" use:"often" doc:"comma-separated host names that requests may use, in addition to loopback names and the IP address of the connection; any other Host is rejected with 421"`
	PublicMetrics  bool     `env:"ASSAY_PUBLIC_METRICS" doc:"true to serve /metrics also on the address of the HTTP API"`
	AllowAnonymous bool     `env:"ASSAY_ALLOW_ANONYMOUS" use:"often" doc:"true to listen beyond loopback without authentication if a network or proxy restricts access"`

	TLS TLS
}

// Values of Exposure.Auth.
const (
	AuthNone  = "none"
	AuthToken = "token"
)

// Tokens reports whether callers must send a credential.
func (e Exposure) Tokens() bool { return e.Auth == AuthToken }

// Check returns an error if addr can be reached from other machines, unless callers must send a
// credential or anonymous access is allowed. variable is the setting of addr. An address that is not
// host:port is left to the listener to reject.
func (e Exposure) Check(variable, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || e.Tokens() || e.AllowAnonymous || web.Loopback(host) {
		return nil
	}
	return fmt.Errorf("%s is %q, which others can reach without credentials: listen on loopback, such as 127.0.0.1, set ASSAY_AUTH=token, or set ASSAY_ALLOW_ANONYMOUS=true if a network or a proxy restricts access",
		variable, addr)
}

// Hosts returns the names under which requests are accepted: the public ones, and those of the
// given addresses.
func (e Exposure) Hosts(addrs ...string) (web.Hosts, error) {
	hosts, err := web.ParseHosts(append(addrs, e.PublicHosts...)...)
	if err != nil {
		return web.Hosts{}, fmt.Errorf("ASSAY_PUBLIC_HOSTS: %w", err)
	}
	return hosts, nil
}

// hosts returns the names under which requests are accepted. It returns an error if listening on one of
// the addresses is not allowed.
func (o Options) hosts() (web.Hosts, error) {
	if auth := o.Exposure.Auth; auth != "" && auth != AuthNone && auth != AuthToken {
		return web.Hosts{}, fmt.Errorf("ASSAY_AUTH is %q: must be none or token", auth)
	}
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
