package setup_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/setup"
)

// start starts the engines, and returns settings with the policies of deploy/s3.
func start(t *testing.T) setup.Config {
	t.Helper()
	nats, err := embedded.StartNATS(embedded.NATSConfig{Dir: t.TempDir(), User: "assay", Password: "secret", Sync: "1s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Close)
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(t.TempDir(), "dynamodb.db"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	policies, err := filepath.Abs("../../../deploy/s3/policy.json")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"setup": "secret", "ingest": "secret", "analyzer": "secret", "query": "secret"}
	store, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: t.TempDir(), AccessKey: "key", SecretKey: "secret", Others: programs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, engine := range []interface{ Close() error }{store, db} {
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	cfg, err := config.Load[setup.Config]([]string{
		"ASSAY_NATS_URL=" + nats.URL(), "ASSAY_ALLOW_UNSYNCED=true", "ASSAY_DYNAMODB_ENDPOINT=" + db.URL(), "ASSAY_S3_ENDPOINT=" + store.URL(),
		"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "ASSAY_S3_BUCKET_POLICY=" + policies,
	})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestEachBucketHasItsPolicy checks that setup sets the policy of every bucket from one file, and is idempotent.
func TestEachBucketHasItsPolicy(t *testing.T) {
	cfg := start(t)
	for range 2 {
		if err := setup.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(cfg.Backends.S3.Endpoint), UsePathStyle: true, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	})
	for bucket, sid := range map[string]string{"assay-files": "ingest FilesBytes", "photoeditor-dev-temp": "ingest PhotosUpload", "photoeditor-dev-final": "analyzer PhotosStore"} {
		out, err := client.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: &bucket})
		if err != nil {
			t.Errorf("%s: %v", bucket, err)
			continue
		}
		var policy struct {
			Statement []struct {
				Sid      string
				Resource []string
			}
		}
		if err := json.Unmarshal([]byte(*out.Policy), &policy); err != nil {
			t.Fatal(err)
		}
		var sids []string
		for _, statement := range policy.Statement {
			sids = append(sids, statement.Sid)
			for _, resource := range statement.Resource {
				if !strings.HasPrefix(resource+"/", "arn:aws:s3:::"+bucket+"/") {
					t.Errorf("the policy of %s has a statement for %s, want only resources of the bucket", bucket, resource)
				}
			}
		}
		if !slices.Contains(sids, sid) || !slices.Contains(sids, "setup Policy") {
			t.Errorf("the policy of %s has the statements %q, want %q and setup Policy", bucket, sids, sid)
		}
	}
	cfg.Backends.S3.Bucket = "other"
	if err := setup.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "no statement applies to the bucket other") {
		t.Errorf("setup with a bucket that the file does not name: got %v, want an error", err)
	}
}
