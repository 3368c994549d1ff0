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

var operatorLine = regexp.MustCompile(`"operator_addr":"([^"]+)"`)

// secure starts another ingest, with a certificate that is valid for the given time, and returns a new recording of it.
func (w *watched) secure(t *testing.T, valid time.Duration) *recording {
	t.Helper()
	cert, key := certificate(t, valid)
	program := system.Launch(t, "ingest", w.Environment("ingest", "ASSAY_TLS_CERT="+cert, "ASSAY_TLS_KEY="+key))
	program.Await(t, `"operator_addr":"`)
	operator := "https://" + operatorLine.FindStringSubmatch(program.Written())[1]
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s contains no certificate", cert)
	}
	r := newRecording(t, interval, target{"assay-ingest", "ingest-2:8084", func() string { return operator }})
	r.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return r
}
