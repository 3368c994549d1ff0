package alerting

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// certificate writes a certificate for 127.0.0.1 and its key, and returns the paths of both.
func certificate(t *testing.T, valid time.Duration) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(valid),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", encoded)
}

// trust makes the recording accept servers with a certificate.
func (r *recording) trust(cert string, t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s contains no certificate", cert)
	}
	r.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
}

var operatorLine = regexp.MustCompile(`"operator_addr":"([^"]+)"`)

// operatorAddr returns the operator address that a program has logged.
func operatorAddr(t *testing.T, p *system.Program) string {
	t.Helper()
	found := operatorLine.FindStringSubmatch(p.Written())
	if found == nil {
		t.Fatalf("the program has no operator address:\n%s", p.Written())
	}
	return found[1]
}
