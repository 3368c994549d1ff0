package operation

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestMissingSettingIsNamed: a service does not start with a missing or invalid variable, or without NATS, and its error
// names the variable or the address of NATS.
func TestMissingSettingIsNamed(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"ingest", "analyzer", "query"} {
		for name, c := range map[string]struct{ env, want string }{
			"missing": {"", role + " cannot start:\nASSAY_NATS_URL is not set ("},
			"bad":     {"ASSAY_DRAIN=soon", "ASSAY_DRAIN is \"soon\", which is not a duration"},
		} {
			p := system.Launch(t, role, []string{c.env})
			if status := p.End(t); status != 2 {
				t.Errorf("%s, %s: exit status %d, want 2", role, name, status)
			}
			if output := p.Output.String(); !strings.Contains(output, c.want) {
				t.Errorf("%s, %s: the output is %q, want %q", role, name, output, c.want)
			}
		}
		p := system.Launch(t, role, []string{"ASSAY_NATS_URL=nats://127.0.0.1:1", "ASSAY_NATS_SYNC=always", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "ASSAY_ADDR=127.0.0.1:0"})
		if status := p.End(t); status != 1 || !strings.Contains(p.Output.String(), "cannot reach NATS at nats://127.0.0.1:1") {
			t.Errorf("%s without NATS: exit status %d: %s, want 1 and the address", role, status, p.Output)
		}
	}
}

// TestBadSettingsAreNamed: serve does not start with an invalid setting, and reports it.
func TestBadSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for setting, problem := range map[string]string{
		"ASSAY_ADDR=nowhere":            "ASSAY_ADDR",
		"ASSAY_OPERATOR_ADDR=nowhere":   "ASSAY_OPERATOR_ADDR",
		"ASSAY_SWEEP_RATE=0":            "ASSAY_SWEEP_RATE is 0",
		"ASSAY_RESERVATION_EXPIRES=1m":  "ASSAY_RESERVATION_EXPIRES is 1m0s: must be more than ASSAY_UPLOAD_EXPIRES",
		"ASSAY_DRAIN=soon":              "ASSAY_DRAIN is \"soon\", which is not a duration",
		"ASSAY_NATS_SYNC=never":         "never",
		"ASSAY_LEASE=1ms":               "ASSAY_LEASE is 1ms",
		"ASSAY_ADDR=0.0.0.0:0":          "ASSAY_ADDR is \"0.0.0.0:0\", which others can reach without credentials",
		"ASSAY_OPERATOR_ADDR=:0":        "ASSAY_OPERATOR_ADDR is \":0\", which others can reach without credentials",
		"ASSAY_NATS_ADDR=0.0.0.0:0":     "ASSAY_NATS_ADDR is \"0.0.0.0:0\", which others can reach without credentials",
		"ASSAY_DYNAMODB_ADDR=[::]:0":    "set ASSAY_ALLOW_ANONYMOUS=true",
		"ASSAY_PUBLIC_HOSTS=http://a.b": "ASSAY_PUBLIC_HOSTS: \"http://a.b\" is not a host name",
		"AWS_ACCESS_KEY_ID=AKIA":        "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set",
		"ASSAY_NATS_USER=me":            "only one of ASSAY_NATS_USER and ASSAY_NATS_PASSWORD is set",
		"ASSAY_S3_ADDR=:9000":           "ASSAY_S3_ADDR is \":9000\": must be host:port",
		"ASSAY_NATS_ADDR=:4222":         "ASSAY_NATS_ADDR is \":4222\": must be host:port",
		"ASSAY_DYNAMODB_ADDR=8000":      "ASSAY_DYNAMODB_ADDR is \"8000\": must be host:port",
		"ASSAY_MAX_FILE_SIZE=0":         "ASSAY_MAX_FILE_SIZE is 0",
		"ASSAY_SQS_URL=nowhere":         "ASSAY_SQS_URL is \"nowhere\"",
		"ASSAY_ANALYZER_PARALLEL=none":  "ASSAY_ANALYZER_PARALLEL is \"none\"",
		"ASSAY_LOG_LEVEL=loud":          "ASSAY_LOG_LEVEL is \"loud\"",
	} {
		p := system.Launch(t, "assay", []string{"ASSAY_ADDR=127.0.0.1:0", setting}, "serve", "--data", t.TempDir())
		want := 2
		if strings.HasSuffix(setting, "ADDR=nowhere") || setting == "ASSAY_NATS_SYNC=never" {
			want = 1 // not a usage error
		}
		if status := p.End(t); status != want {
			t.Errorf("%s: exit status %d, want %d", setting, status, want)
		}
		if output := p.Output.String(); !strings.Contains(output, problem) {
			t.Errorf("%s: the output is %q, want %q", setting, output, problem)
		}
	}
}
