package embedded

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/web"
)

const testTable = "history"

func dynamoClient(url string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &url, Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, ""),
	})
}

func addTable(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(testTable), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func putItem(ctx context.Context, client *dynamodb.Client, key string) error {
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(testTable), Item: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: key}},
		ConditionExpression: aws.String("attribute_not_exists(PK)"),
	})
	return err
}

func items(t *testing.T, client *dynamodb.Client) int32 {
	t.Helper()
	out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(testTable)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Count
}

func startDynamoDB(t *testing.T, path string) *DynamoDB {
	t.Helper()
	d, err := StartDynamoDB(DynamoDBConfig{Path: path, AccessKey: testKey, SecretKey: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestDynamoDBKeepsItemsAcrossClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "db")
	first := startDynamoDB(t, path)
	client := dynamoClient(first.URL())
	addTable(t, client)
	if err := putItem(t.Context(), client, "a"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	client = dynamoClient(startDynamoDB(t, path).URL())
	if n := items(t, client); n != 1 {
		t.Fatalf("got %d items after a restart, want 1", n)
	}
	if err := putItem(t.Context(), client, "a"); err == nil {
		t.Error("PutItem of an existing item succeeded, want a failed condition")
	}
}

func TestDynamoDBKeepsAcknowledgedWritesWhenKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	url, kill := startChild(t, "dynamodb", path)
	client := dynamoClient(url)
	addTable(t, client)
	const written = 30
	for i := range written {
		if err := putItem(t.Context(), client, strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if out := kill(); out != "" {
		t.Errorf("the engine wrote %q to standard output, want nothing", out)
	}
	if n := items(t, dynamoClient(startDynamoDB(t, path).URL())); n != written {
		t.Fatalf("got %d items after kill, want %d", n, written)
	}
}

// TestDynamoDBRejectsDamagedJournal damages the first and the last record of the journal of a killed process.
func TestDynamoDBRejectsDamagedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	url, kill := startChild(t, "dynamodb", path)
	client := dynamoClient(url)
	addTable(t, client)
	for i := range 30 {
		if err := putItem(t.Context(), client, "item"+strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	kill()
	whole, err := os.ReadFile(path + ".journal")
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range []string{"item0", "item29"} {
		damaged := bytes.Clone(whole)
		damaged[bytes.Index(whole, []byte(item))] ^= 1
		if err := os.WriteFile(path+".journal", damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := StartDynamoDB(DynamoDBConfig{Path: path, AccessKey: testKey, SecretKey: testSecret})
		if err == nil {
			t.Fatalf("StartDynamoDB with a damaged record of %s succeeded, want an error: %v", item, d.Close())
		}
		for _, want := range []string{path + ".journal", "offset", "backup"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not contain %q", err, want)
			}
		}
	}
}

func TestDynamoDBRejectsBadSettings(t *testing.T) {
	inUse := filepath.Join(t.TempDir(), "db")
	running := startDynamoDB(t, inUse)
	tests := []struct {
		name string
		cfg  DynamoDBConfig
		want string
	}{
		{"no file", DynamoDBConfig{}, "path of the database file"},
		{"address", DynamoDBConfig{Path: filepath.Join(t.TempDir(), "db"), Addr: "localhost"}, `address "localhost"`},
		{"file in use", DynamoDBConfig{Path: inUse}, inUse},
		{"address in use", DynamoDBConfig{
			Path: filepath.Join(t.TempDir(), "db"), Addr: strings.TrimPrefix(running.URL(), "http://"),
		}, "in use"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.AccessKey, tt.cfg.SecretKey = testKey, testSecret
			d, err := StartDynamoDB(tt.cfg)
			if err == nil {
				t.Fatalf("StartDynamoDB succeeded, want an error: %v", d.Close())
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
		})
	}
}

func TestDynamoDBClosesWithUnusedConnection(t *testing.T) {
	d, err := StartDynamoDB(DynamoDBConfig{Path: filepath.Join(t.TempDir(), "db"), AccessKey: testKey, SecretKey: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	items := dynamoClient(d.URL()) // the response shows that the connection was accepted
	if _, err := items.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took >= dynamoDBDrain {
		t.Errorf("Close took %s, want less than %s", took, dynamoDBDrain)
	}
}

// TestDynamoDBLimitsConnectionsPerClient checks that a connection above the limit is rejected
// and that the listener for the services is not affected.
func TestDynamoDBLimitsConnectionsPerClient(t *testing.T) {
	d, err := StartDynamoDB(DynamoDBConfig{Path: filepath.Join(t.TempDir(), "db"), AccessKey: testKey, SecretKey: testSecret, limiter: web.NewLimiter(2, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	dial(t, d.URL(), "POST / HTTP/1.1\r\n")
	refused, err := http.ReadResponse(bufio.NewReader(dial(t, d.URL(), "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	refused.Body.Close()
	if refused.StatusCode != http.StatusTooManyRequests {
		t.Errorf("second connection: got status %d, want %d", refused.StatusCode, http.StatusTooManyRequests)
	}
	addTable(t, dynamoClient(d.OwnURL()))
}
