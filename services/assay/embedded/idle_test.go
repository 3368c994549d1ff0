package embedded

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/web"
)

// TestIdleClientsMakeRoom checks that each engine serves more clients than it accepts connections from one address, although
// the clients keep their connections.
func TestIdleClientsMakeRoom(t *testing.T) {
	const limit, clients = 3, 10
	d, err := StartDynamoDB(DynamoDBConfig{
		Path: filepath.Join(t.TempDir(), "db"), AccessKey: testKey, SecretKey: testSecret, limiter: web.NewLimiter(100, limit),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	limits := s3Limits{clients: 100, perClient: limit, header: web.HeaderTimeout, body: web.HeaderTimeout, pause: web.BodyPause}
	objects := startS3(t, S3Config{limits: limits})
	for n := range clients {
		own := &http.Transport{}
		t.Cleanup(own.CloseIdleConnections)
		_, err := dynamoClient(d.URL()).ListTables(t.Context(), nil, func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: own} })
		if err != nil {
			t.Fatalf("DynamoDB, client %d: %v", n, err)
		}
		if _, err := objects.ListBuckets(t.Context(), nil, func(o *s3.Options) { o.HTTPClient = &http.Client{Transport: own} }); err != nil {
			t.Fatalf("S3, client %d: %v", n, err)
		}
	}
}
