package process

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"
)

// TLS names the files with the certificate for the HTTP addresses.
type TLS struct {
	Cert string `env:"ASSAY_TLS_CERT" use:"often" doc:"a PEM file with the certificate, and its chain, for HTTPS on the HTTP addresses; reloaded when it changes; without it, plain HTTP is used"`
	Key  string `env:"ASSAY_TLS_KEY" use:"often" doc:"a PEM file with the private key of ASSAY_TLS_CERT"`
}

// On reports whether the addresses use HTTPS.
func (t TLS) On() bool { return t.Cert != "" || t.Key != "" }

// Scheme returns the scheme of the addresses' URLs.
func (t TLS) Scheme() string {
	if t.On() {
		return "https"
	}
	return "http"
}

// config returns the configuration of the listeners, nil for plain HTTP. With a certificate, it registers a gauge of the
// time at which it expires.
func (t TLS) config(log zerolog.Logger, reg prometheus.Registerer) (*tls.Config, error) {
	if !t.On() {
		return nil, nil
	}
	if t.Cert == "" || t.Key == "" {
		return nil, errors.New("only one of ASSAY_TLS_CERT and ASSAY_TLS_KEY is set: set both, or neither")
	}
	c := &certificate{files: t, log: log}
	if err := c.load(time.Now()); err != nil {
		return nil, err
	}
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_tls_certificate_expiry_timestamp_seconds", Help: "Time at which the certificate of the HTTP addresses expires; only with TLS.",
	}, c.expiry)
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

// certificate is a certificate that is reloaded when its files change.
type certificate struct {
	files TLS
	log   zerolog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	stamp   [2]time.Time // modification times of the files
	checked time.Time
}

// certificateCheck is the minimum interval between checks for changed files. A check is made when a client connects.
const certificateCheck = time.Second

// get implements tls.Config.GetCertificate. While the files cannot be read, it returns the last certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.checked) >= certificateCheck {
		if err := c.load(now); err != nil {
			c.log.Warn().Err(err).Msg("cannot read the new certificate; the last one stays in use")
		}
	}
	return c.current, nil
}

// expiry returns the time at which the certificate expires, in seconds since the epoch.
func (c *certificate) expiry() float64 {
	current, _ := c.get(nil) // the error is always nil
	return float64(current.Leaf.NotAfter.Unix())
}

// load reads the files if they have changed.
func (c *certificate) load(now time.Time) error {
	c.checked = now
	var stamp [2]time.Time
	for i, name := range []string{c.files.Cert, c.files.Key} {
		info, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("ASSAY_TLS_CERT, ASSAY_TLS_KEY: %w", err)
		}
		stamp[i] = info.ModTime()
	}
	if stamp == c.stamp {
		return nil
	}
	loaded, err := tls.LoadX509KeyPair(c.files.Cert, c.files.Key)
	if err != nil {
		return fmt.Errorf("ASSAY_TLS_CERT, ASSAY_TLS_KEY: %w", err)
	}
	if c.current != nil {
		c.log.Info().Msg("the certificate was replaced")
	}
	c.current, c.stamp = &loaded, stamp
	return nil
}
