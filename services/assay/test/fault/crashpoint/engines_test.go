package crashpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

const accessKey, secretKey = "crash", "crash-secret"

// engines are shared by all houses: each has a NATS account, tables and a bucket
// of its own.
type engines struct {
	at wire.Engines

	mu     sync.Mutex
	houses map[string]*house // by bucket
}

// startEngines starts them with room for so many houses.
func startEngines(t *testing.T, houses int) *engines {
	t.Helper()
	e := &engines{houses: map[string]*house{}}
	var accounts strings.Builder
	accounts.WriteString("accounts {\n")
	for i := range houses {
		fmt.Fprintf(&accounts, "  h%d { jetstream: enabled, users: [{user: h%d, password: h%d}] }\n", i, i, i)
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
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: t.TempDir() + "/dynamodb.db"})
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

// created is the bucket's notice, for the house that wants one.
func (e *engines) created(ctx context.Context, o embedded.Object) error {
	e.mu.Lock()
	h := e.houses[o.Bucket]
	e.mu.Unlock()
	if h == nil || !h.notices.Load() || !strings.HasPrefix(o.Key, "files/") {
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
	_, err = h.system.JetStream().Publish(ctx, "s3.notice", notice)
	return err
}
