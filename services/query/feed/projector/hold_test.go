package projector_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/feed/projector"
)

// TestSlowBatchKeepsItsShard checks that the lease on a shard is renewed while a batch is written,
// so that no other projector writes the same changes.
func TestSlowBatchKeepsItsShard(t *testing.T) {
	b := open(t)
	began, proceed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	base, at := tabletest.Base(), table.Config{Endpoint: aws.ToString(b.db.Options().BaseEndpoint)}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	base.HTTPClient = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "TransactWriteItems") {
			once.Do(func() { close(began) })
			<-proceed
		}
		return transport.RoundTrip(r)
	})}
	p := projector.New(changes.Config{Poll: 5 * time.Millisecond, Lease: time.Second}, projector.Options{
		DB: table.Connect(base, at), Streams: b.streams, Tables: b.tables, Platform: b.platform, Log: zerolog.Nop(), Registry: prometheus.NewRegistry(),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	b.add(t, 1, "a")
	<-began
	first := b.revision(t)
	eventually(t, func() error {
		if b.revision(t) == first {
			return errors.New("the lease was not renewed")
		}
		return nil
	})
	close(proceed)
	b.await(t, "", "reddit#1")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// revision returns the revision of the only checkpoint.
func (b *bench) revision(t *testing.T) string {
	t.Helper()
	out, err := b.db.Query(t.Context(), &dynamodb.QueryInput{
		TableName: &b.platform.Table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: "CHECKPOINT#feed"}},
	})
	if err != nil || len(out.Items) != 1 {
		t.Fatalf("got %+v, error %v, want one checkpoint", out, err)
	}
	return out.Items[0]["revision"].(*types.AttributeValueMemberN).Value
}
