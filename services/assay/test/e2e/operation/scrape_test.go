package operation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// exporter is a running program with metrics.
type exporter struct{ name, operator string }

// scrape returns the metrics of the program.
func (e exporter) scrape(t *testing.T) string {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	request, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, e.operator+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the metrics of %s: %d, %v, want 200", e.name, resp.StatusCode, err)
	}
	return string(body)
}

// families returns the metrics of the program by name.
func (e exporter) families(t *testing.T) (map[string]*dto.MetricFamily, error) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	return parser.TextToMetricFamilies(strings.NewReader(e.scrape(t)))
}

// product returns the metrics of Assay itself.
func (e exporter) product(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(e.scrape(t)) {
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "), "assay_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// value returns the value of a counter or gauge whose series has these labels, as in `area="feed"`. It returns an error if
// there is no such series.
func (e exporter) value(t *testing.T, name string, labels ...string) (float64, error) {
	t.Helper()
	families, err := e.families(t)
	if err != nil {
		return 0, err
	}
	for _, series := range families[name].GetMetric() {
		has := map[string]bool{}
		for _, label := range series.GetLabel() {
			has[fmt.Sprintf("%s=%q", label.GetName(), label.GetValue())] = true
		}
		matches := true
		for _, label := range labels {
			matches = matches && has[label]
		}
		if matches {
			return series.GetGauge().GetValue() + series.GetCounter().GetValue(), nil
		}
	}
	return 0, fmt.Errorf("%s has no series %s%v", e.name, name, labels)
}

// eventually waits until the value of a series is as wanted.
func (e exporter) eventually(t *testing.T, want string, is func(float64) bool, name string, labels ...string) {
	t.Helper()
	system.Eventually(t, func() error {
		got, err := e.value(t, name, labels...)
		if err == nil && !is(got) {
			err = fmt.Errorf("%s%v is %v, want %s", name, labels, got, want)
		}
		return err
	})
}

// equals waits until a series has a value.
func (e exporter) equals(t *testing.T, want float64, name string, labels ...string) {
	t.Helper()
	e.eventually(t, fmt.Sprint(want), func(got float64) bool { return got == want }, name, labels...)
}

// exceeds waits until the value of a series is greater than a limit.
func (e exporter) exceeds(t *testing.T, limit float64, name string, labels ...string) {
	t.Helper()
	e.eventually(t, fmt.Sprintf("more than %v", limit), func(got float64) bool { return got > limit }, name, labels...)
}

// writeCertificate writes a certificate that expires in a day, and returns the settings of a program that uses it.
func writeCertificate(t *testing.T) []string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	public, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: public}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}}
	for name, block := range files {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"ASSAY_TLS_CERT=" + filepath.Join(dir, "tls.crt"), "ASSAY_TLS_KEY=" + filepath.Join(dir, "tls.key")}
}

var operatorAddr = regexp.MustCompile(`"operator_addr":"([^"]+)"`)

// startGateway starts `assay gateway` with a certificate, and returns the URL of its operator address.
func startGateway(t *testing.T, c *system.Cluster, ingest, query *system.Service, secure []string) string {
	t.Helper()
	env := append(c.Environment("gateway", secure...),
		"ASSAY_INGEST_URL="+ingest.URL, "ASSAY_QUERY_URL="+query.URL, "ASSAY_INGEST_OPERATOR_URL="+ingest.Operator,
		"ASSAY_QUERY_OPERATOR_URL="+query.Operator, "ASSAY_ANALYZER_OPERATOR_URL="+ingest.Operator)
	p := system.Launch(t, "assay", env, "gateway")
	p.Await(t, `"message":"ready"`)
	return "https://" + operatorAddr.FindStringSubmatch(p.Written())[1]
}
