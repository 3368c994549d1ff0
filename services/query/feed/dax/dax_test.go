package dax_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/feed/dax"
)

func TestEndpointIsChecked(t *testing.T) {
	for _, right := range []string{"", "dax://cluster.example", "dax://127.0.0.1:8111", "daxs://cluster.example:9111"} {
		if err := (dax.Config{Endpoint: right}).Validate(); err != nil {
			t.Errorf("%q: got error %v, want none", right, err)
		}
	}
	for _, wrong := range []string{"cluster.example:8111", "http://cluster.example", "dax://", "dax://:8111", "dax://a/path", "dax://u@a", "dax://a:port"} {
		if err := (dax.Config{Endpoint: wrong}).Validate(); err == nil || !strings.Contains(err.Error(), "ASSAY_DAX_ENDPOINT") || !strings.Contains(err.Error(), "dax://name") {
			t.Errorf("%q: got error %v, want one that names the setting and gives an example", wrong, err)
		}
	}
}

// cluster starts a server that listens like a DAX node, and closes each connection after
// it has received the first bytes.
func cluster(t *testing.T) (endpoint string, received <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	greetings := make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			first := make([]byte, len(hello))
			if _, err := io.ReadFull(conn, first); err == nil {
				select {
				case greetings <- string(first):
				default: // the buffer is full; the test needs only the first
				}
			}
			conn.Close()
		}
	}()
	return "dax://" + listener.Addr().String(), greetings
}

// hello contains the first bytes sent on every DAX connection: a CBOR text string of 7 characters.
const hello = "\x67J7yne5G"

// lines collects a log.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

// TestReadsGoThroughTheCluster checks that AWS's client connects to the endpoint. While the cluster
// fails, which is logged, reads are served from the table.
func TestReadsGoThroughTheCluster(t *testing.T) {
	db, _ := tabletest.Start(t)
	name := "rows"
	if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	}}}); err != nil {
		t.Fatal(err)
	}
	row := table.Key{"id": &types.AttributeValueMemberS{Value: "a"}}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: row}); err != nil {
		t.Fatal(err)
	}

	endpoint, received := cluster(t)
	var log lines
	reader, err := dax.Connect(tabletest.Base(), dax.Config{Endpoint: endpoint}, db, zerolog.New(&log))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := <-received; got != hello {
		t.Errorf("the cluster received %q, want %q", got, hello)
	}
	for n, read := range []func(context.Context) (int, error){
		func(ctx context.Context) (int, error) {
			out, err := reader.Query(ctx, &dynamodb.QueryInput{
				TableName: &name, KeyConditionExpression: aws.String("id = :id"), ExpressionAttributeValues: table.Key{":id": row["id"]},
			})
			if err != nil {
				return 0, err
			}
			return len(out.Items), nil
		},
		func(ctx context.Context) (int, error) {
			out, err := reader.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				name: {Keys: []map[string]types.AttributeValue{row}},
			}})
			if err != nil {
				return 0, err
			}
			return len(out.Responses[name]), nil
		},
	} {
		if found, err := read(t.Context()); err != nil || found != 1 {
			t.Errorf("read %d returned %d rows, error %v, want 1", n, found, err)
		}
		if logged := log.String(); n == 0 && strings.Count(logged, "a read from the DAX cluster failed") != 1 {
			t.Errorf("after the first read: got log %s, want one failed read", logged)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reader.Query(ended, &dynamodb.QueryInput{TableName: &name}); err == nil {
		t.Error("a read with a canceled context: got a response, want an error")
	}
}

// TestReadsSurviveAnUnresponsiveCluster checks that a cluster that accepts connections but never sends
// a byte delays a read only for a limited time, after which the table serves it.
func TestReadsSurviveAnUnresponsiveCluster(t *testing.T) {
	db, _ := tabletest.Start(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0") // connections are established, but never read
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var log lines
	reader, err := dax.Connect(tabletest.Base(), dax.Config{Endpoint: "dax://" + listener.Addr().String()}, db, zerolog.New(&log))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	_, err = reader.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("none"), KeyConditionExpression: aws.String("id = :id")})
	if _, answered := errors.AsType[smithy.APIError](err); !answered {
		t.Errorf("got %v, want the engine's error for a missing table", err)
	}
	if !strings.Contains(log.String(), "a read from the DAX cluster failed") {
		t.Errorf("got log %s, want a failed read from the DAX cluster", log.String())
	}
}

// TestWrongEndpointIsRejected uses an endpoint that Validate accepts and AWS's client rejects.
func TestWrongEndpointIsRejected(t *testing.T) {
	if r, err := dax.Connect(aws.Config{}, dax.Config{Endpoint: "dax://127.0.0.1:1"}, nil, zerolog.Nop()); err == nil {
		r.Close()
		t.Error("got a connection to a cluster without a region, want an error")
	} else if !strings.Contains(err.Error(), "dax://127.0.0.1:1") {
		t.Errorf("got %v, want it to contain dax://127.0.0.1:1", fmt.Sprint(err))
	}
}
