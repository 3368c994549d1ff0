package process

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

// write writes a new self-signed certificate with the given serial number, which is also the modification time of the
// files, in epoch seconds, and the number of hours until it expires.
func write(t *testing.T, files TLS, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Duration(serial) * time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{files.Cert: {Type: "CERTIFICATE", Bytes: cert}, files.Key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(serial, 0)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHTTPS checks the protocol and its minimum version, that a replaced certificate is used without a restart, and
// that an unusable one is not used.
func TestHTTPS(t *testing.T) {
	dir := t.TempDir()
	files := TLS{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	write(t, files, 1)
	registry := prometheus.NewRegistry()
	secure, err := files.config(zerolog.Nop(), registry)
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "assay_tls_certificate_expiry_timestamp_seconds" {
		t.Fatalf("got the metrics %v, error %v, want the expiry of the certificate", families, err)
	}
	expires := func(hours int, at float64) {
		t.Helper()
		if in := time.Until(time.Unix(int64(at), 0)); (in - time.Duration(hours)*time.Hour).Abs() > time.Minute {
			t.Errorf("the certificate expires in %s, want %d h", in, hours)
		}
	}
	expires(1, families[0].GetMetric()[0].GetGauge().GetValue())
	c := &certificate{files: files, log: zerolog.Nop()}
	secure.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		c.mu.Lock()
		c.checked = time.Time{} // as if a second had passed
		c.mu.Unlock()
		return c.get(hello)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	router := web.NewRouter(web.Options{})
	go func() { ended <- web.Serve(ctx, listener, router, web.ServeOptions{TLS: secure}) }()
	serial := func() int64 {
		t.Helper()
		transport := &http.Transport{ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		resp, err := (&http.Client{Transport: transport}).Get("https://" + listener.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
			t.Errorf("got %s %d, want HTTP/2.0 200", resp.Proto, resp.StatusCode)
		}
		return resp.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("got certificate %d, want 1", got)
	}
	write(t, files, 2)
	if got := serial(); got != 2 {
		t.Errorf("got certificate %d after the change, want 2", got)
	}
	expires(2, c.expiry())
	if err := os.WriteFile(files.Key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 2 {
		t.Errorf("got certificate %d with an unusable key, want 2", got)
	}
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	if conn, err := tls.Dial("tcp", listener.Addr().String(), old); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1: got no error, want one")
	}
	if err := ownReady(t.Context(), "https://"+listener.Addr().String()); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := (TLS{Cert: files.Cert}).config(zerolog.Nop(), prometheus.NewRegistry()); err == nil {
		t.Error("a certificate without a key: got no error, want one")
	}
	if _, err := files.config(zerolog.Nop(), prometheus.NewRegistry()); err == nil {
		t.Error("an unusable key: got no error, want one")
	}
}
