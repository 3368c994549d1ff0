package crashpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

const accessKey, secretKey = "crash", "crash-secret"

// engines are shared by all systems. Each system has its own NATS account, tables
// and bucket.
type engines struct {
	at wire.Engines

	mu      sync.Mutex
	systems map[string]*system // by bucket
}

// startEngines starts the engines for a number of systems, with a NATS account for each.
func startEngines(t *testing.T, systems int) *engines {
	t.Helper()
	e := &engines{systems: map[string]*system{}}
	var accounts strings.Builder
	accounts.WriteString("accounts {\n")
	for i := range systems {
		fmt.Fprintf(&accounts, "  s%d { jetstream: enabled, users: [{user: s%d, password: s%d}] }\n", i, i, i)
	}
	accounts.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(accounts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e.at.NATS = bustest.StartWith(t, *options)
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: t.TempDir() + "/dynamodb.db", AccessKey: accessKey, SecretKey: secretKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	e.at.DynamoDB = db.URL()
	s3, err := embedded.StartS3(t.Context(), embedded.S3Config{
		Dir: t.TempDir(), AccessKey: accessKey, SecretKey: secretKey, Created: e.created,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s3.Close(); err != nil {
			t.Error(err)
		}
	})
	e.at.S3 = s3.URL()
	return e
}

// created publishes the bucket notification if the scenario needs it.
func (e *engines) created(ctx context.Context, o embedded.Object) error {
	e.mu.Lock()
	s := e.systems[o.Bucket]
	e.mu.Unlock()
	if s == nil || !s.notices.Load() || !slices.ContainsFunc([]string{"files/", "uploads/", "library/"}, func(prefix string) bool { return strings.HasPrefix(o.Key, prefix) }) {
		return nil
	}
	type named map[string]string
	notice, err := json.Marshal(map[string]any{
		"source": "aws.s3", "detail-type": "Object Created",
		"detail": map[string]any{"bucket": named{"name": o.Bucket}, "object": named{"key": o.Key, "etag": o.ETag}},
	})
	if err != nil {
		return err
	}
	_, err = s.audit.JetStream().Publish(ctx, "s3.notice", notice)
	return err
}
