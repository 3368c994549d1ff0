package process

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
)

func TestExposureCheck(t *testing.T) {
	for addr, refused := range map[string]bool{
		"127.0.0.1:80": false, "[::1]:80": false, "localhost:80": false, "nowhere": false, "": false,
		":80": true, "0.0.0.0:80": true, "[::]:80": true, "10.1.2.3:80": true, "assay.example:80": true,
	} {
		err := Exposure{}.Check("ASSAY_ADDR", addr)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "ASSAY_ALLOW_ANONYMOUS=true") {
			t.Errorf("Check(%q): got error %v, want refused = %t", addr, err, refused)
		}
		if err := (Exposure{AllowAnonymous: true}).Check("ASSAY_ADDR", addr); err != nil {
			t.Errorf("%q with anonymous callers allowed: got error %v, want nil", addr, err)
		}
	}
}

// TestServeRejectsExposure checks that a service does not start with an address that others can
// reach, or with an invalid public name.
func TestServeRejectsExposure(t *testing.T) {
	for want, o := range map[string]Options{
		`ASSAY_ADDR is ":0"`:                   {Addr: ":0"},
		`ASSAY_OPERATOR_ADDR is "0.0.0.0:0"`:   {Addr: "127.0.0.1:0", OperatorAddr: "0.0.0.0:0"},
		`ASSAY_PUBLIC_HOSTS: "http://a.b" is `: {Addr: "127.0.0.1:0", Exposure: Exposure{PublicHosts: []string{"http://a.b"}}},
	} {
		err := Serve(t.Context(), o, func(context.Context, zerolog.Logger, *prometheus.Registry) (Service, error) {
			t.Errorf("%s: the service was opened, want an error", want)
			return nil, errors.New("opened")
		})
		if _, ok := errors.AsType[*config.Error](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want a *config.Error that contains %q", err, want)
		}
	}
}
