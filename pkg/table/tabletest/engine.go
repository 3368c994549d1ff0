// Package tabletest runs a real DynamoDB engine inside a test.
package tabletest

import (
	"math/rand/v2"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/table"
)

// Start opens an empty engine and returns a client configured as in the services, but with shorter
// retry delays, and the engine's fault injector. The engine is closed when tb ends.
func Start(tb testing.TB) (*dynamodb.Client, *dynamolite.Faults) {
	tb.Helper()
	db, _, faults := StartStreams(tb)
	return db, faults
}

// StartStreams is like Start, with an additional client of the tables' change streams.
func StartStreams(tb testing.TB) (*dynamodb.Client, *dynamodbstreams.Client, *dynamolite.Faults) {
	tb.Helper()
	engine, err := dynamolite.Open(dynamolite.Options{OnError: func(err error) { tb.Logf("dynamolite: %v", err) }})
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(engine)
	tb.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	at := table.Config{Endpoint: server.URL}
	db := dynamodb.New(table.Connect(Base(), at).Options(), func(o *dynamodb.Options) {
		o.Retryer = impatient{o.Retryer.(aws.RetryerV2)}
	})
	return db, table.ConnectStreams(Base(), at), engine.Faults()
}

// impatient retries what another retryer retries, but after milliseconds instead of up to 20 s.
type impatient struct{ aws.RetryerV2 }

// RetryDelay implements aws.Retryer.
func (impatient) RetryDelay(attempt int, _ error) (time.Duration, error) {
	return rand.N(time.Duration(attempt+1) * 10 * time.Millisecond), nil
}

// Base returns an AWS configuration with credentials that a local engine accepts.
func Base() aws.Config {
	return aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", "")}
}
