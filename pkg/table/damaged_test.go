package table_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/table"
)

// TestDamageIsNotRetried: six attempts would take half a minute and end with the same error.
func TestDamageIsNotRetried(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(`{"__type":"com.amazonaws.dynamodb.v20120810#DataDamaged","message":"The data is damaged; restore a backup"}`))
	}))
	defer server.Close()
	db := table.Connect(aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", "")}, table.Config{Endpoint: server.URL})
	if _, err := db.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil || requests.Load() != 1 {
		t.Errorf("got %d requests, error %v, want one request and an error", requests.Load(), err)
	}
}
