package backend_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// configuration returns the configuration of a local system whose S3 server is unreachable.
func configuration(t *testing.T) backend.Config {
	t.Helper()
	db, _ := tabletest.Start(t)
	return backend.Config{
		AWS:      backend.AWS{Region: "us-east-1", AccessKey: "key", SecretKey: "secret"},
		DynamoDB: table.Config{Endpoint: *db.Options().BaseEndpoint},
		S3:       blob.Config{Endpoint: "http://127.0.0.1:1", Bucket: "assay-files"},
		NATS:     bus.Config{URL: bustest.Start(t), Replicas: 1, AllowUnsynced: true, WorkMaxMessages: 1000},
	}
}

func TestOpenConnectsToTheEndpoints(t *testing.T) {
	backends, err := backend.Open(t.Context(), configuration(t), "test", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	if _, err := backends.DB.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Error(err)
	}
	if backends.Bucket.Bucket != "assay-files" {
		t.Errorf("got bucket %s, want assay-files", backends.Bucket.Bucket)
	}
	var health obs.Health
	backends.Health(&health)
	got := health.Check(t.Context())
	if got.Checks["nats"] != "ok" || got.Checks["s3"] == "ok" || got.Status == "ready" || len(got.Checks) != 2 {
		t.Errorf("with NATS available and S3 unavailable: got %+v, want only nats ok", got)
	}
}

func TestOpenNamesMissingSettings(t *testing.T) {
	// The default credential chain of the SDK finds no credentials here.
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	noKeys := configuration(t)
	noKeys.AWS = backend.AWS{Region: "us-east-1"}
	offline := configuration(t)
	offline.NATS.URL = "nats://127.0.0.1:1"
	invalid := configuration(t)
	invalid.NATS.OutcomesMaxAge = time.Minute
	for want, cfg := range map[string]backend.Config{
		"AWS_ACCESS_KEY_ID": noKeys, "nats://127.0.0.1:1": offline, "ASSAY_OUTCOMES_MAX_AGE": invalid,
	} {
		backends, err := backend.Open(t.Context(), cfg, "test", zerolog.Nop(), prometheus.NewRegistry())
		if err == nil {
			backends.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that names %s", err, want)
		}
	}
}
