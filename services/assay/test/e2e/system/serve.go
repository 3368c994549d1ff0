package system

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// Server is `assay serve` on a data directory.
type Server struct {
	System
	Dir     string
	Env     []string
	Program *Program
}

// StartServer starts `assay serve` on a directory and returns when it is ready.
func StartServer(t *testing.T, dir string, env ...string) *Server {
	t.Helper()
	s := &Server{Dir: dir, Env: LocalReceivers()}
	for _, name := range []string{"ASSAY_ADDR", "ASSAY_NATS_ADDR", "ASSAY_S3_ADDR", "ASSAY_DYNAMODB_ADDR"} {
		s.Env = append(s.Env, name+"="+KeepableAddr(t))
	}
	s.Env = append(s.Env, env...)
	s.Restart(t)
	return s
}

// Restart starts a server that has ended again, with the same directory and addresses.
func (s *Server) Restart(t *testing.T) {
	t.Helper()
	s.Program = Launch(t, "assay", s.Env, "serve", "--data", s.Dir)
	s.Program.Await(t, "Assay is ready.")
	s.System = ReadEndpoints(t, s.Dir)
	ServesAs(t, "assay", "public", s.HTTP, s.Env)
	ServesAs(t, "assay", "operator", s.Operator, s.Env)
}

// ReadEndpoints returns the system that the endpoints.json of a server describes.
func ReadEndpoints(t *testing.T, dir string) System {
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
			t.Fatalf("endpoints.json must contain exactly http, nats, s3, dynamodb, region and credentials: %s", content)
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
	return System{
		HTTP: at["http"], Operator: noted.Operator, LiveOperator: noted.Operator, NATS: at["nats"], S3: at["s3"], DynamoDB: at["dynamodb"],
		AccessKey: keys.AccessKey, SecretKey: keys.SecretKey, Region: at["region"],
		Bucket: "assay-files", Table: "text-analyzer-history",
	}
}

// ShortLease is the setting of a short lease, so that the work of a killed process is redelivered quickly.
const ShortLease = "ASSAY_LEASE=1s"

// AfterLease waits until everything stored before the call is older than a short lease, so that a sweep considers it.
func AfterLease() { <-time.After(1100 * time.Millisecond) }
