package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// serving is `assay serve` on a data folder.
type serving struct {
	system
	dir     string
	env     []string
	program *program
}

// startServe starts `assay serve` on a folder and returns when it is ready.
func startServe(t *testing.T, dir string, env ...string) *serving {
	t.Helper()
	s := &serving{dir: dir}
	for _, name := range []string{"ASSAY_ADDR", "ASSAY_NATS_ADDR", "ASSAY_S3_ADDR", "ASSAY_DYNAMODB_ADDR"} {
		s.env = append(s.env, name+"="+keepableAddr(t))
	}
	s.env = append(s.env, env...)
	s.restart(t)
	return s
}

// restart restarts it on the same folder and addresses, after it ended.
func (s *serving) restart(t *testing.T) {
	t.Helper()
	s.program = launch(t, "assay", s.env, "serve", "--data", s.dir)
	s.program.await(t, "Assay is ready.")
	s.system = readEndpoints(t, s.dir)
}

// readEndpoints reads the endpoints.json of a server.
func readEndpoints(t *testing.T, dir string) system {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "endpoints.json"))
	if err != nil {
		t.Fatal(err)
	}
	var at map[string]string
	if err := json.Unmarshal(content, &at); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"http", "nats", "s3", "dynamodb", "region", "credentials"} {
		if at[name] == "" || len(at) != 6 {
			t.Fatalf("endpoints.json must have http, nats, s3, dynamodb, region and credentials, and no more: %s", content)
		}
	}
	keys, err := endpoints.ReadCredentials(at["credentials"])
	if err != nil {
		t.Fatal(err)
	}
	noted, err := endpoints.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return system{
		HTTP: at["http"], Operator: noted.Operator, LiveOperator: noted.Operator, NATS: at["nats"], S3: at["s3"], DynamoDB: at["dynamodb"],
		AccessKey: keys.AccessKey, SecretKey: keys.SecretKey, Region: at["region"],
		Bucket: "assay-files", Table: "text-analyzer-history",
	}
}

// TestServe proves the promises that leave it running against one `assay serve`.
func TestServe(t *testing.T) {
	s := startServe(t, t.TempDir())
	prove(t, s.system)
	proveOneAddress(t, s.system)
	t.Run("metrics are there", func(t *testing.T) { metricsAreThere(t, s.system) })
}

// shortLease makes the work of a killed process be redelivered soon.
const shortLease = "ASSAY_LEASE=1s"
