package embedded

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/nats-io/nats.go"
)

// identities are the credentials of callers, with the exceptions of DynamoDB and S3 that they get. Anonymous requests
// are unsigned.
var identities = []struct {
	name           string
	keys           aws.CredentialsProvider
	dynamoDB, s3   string
	user, password string // for NATS
}{
	{"anonymous", aws.AnonymousCredentials{}, "MissingAuthenticationTokenException", "AccessDenied", "", ""},
	{"unknown key", credentials.NewStaticCredentialsProvider("nobody", testSecret, ""), "UnrecognizedClientException", "InvalidAccessKeyId", "nobody", testSecret},
	{"wrong secret", credentials.NewStaticCredentialsProvider(testKey, "guess", ""), "InvalidSignatureException", "SignatureDoesNotMatch", testKey, "guess"},
	{"another account", credentials.NewStaticCredentialsProvider("other", testSecret, ""), "InvalidSignatureException", "SignatureDoesNotMatch", "", testSecret},
	{"account", credentials.NewStaticCredentialsProvider(testKey, testSecret, ""), "", "", testKey, testSecret},
	{"second account", credentials.NewStaticCredentialsProvider("other", "other-secret", ""), "", "", testKey, testSecret},
}

func code(err error) string {
	if failure, ok := errors.AsType[smithy.APIError](err); ok {
		return failure.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestDynamoDBRequiresCredentials checks both ports.
func TestDynamoDBRequiresCredentials(t *testing.T) {
	if d, err := StartDynamoDB(DynamoDBConfig{Path: filepath.Join(t.TempDir(), "db")}); err == nil {
		t.Errorf("StartDynamoDB without keys succeeded, want an error: %v", d.Close())
	}
	d, err := StartDynamoDB(DynamoDBConfig{
		Path: filepath.Join(t.TempDir(), "db"), AccessKey: testKey, SecretKey: testSecret, Others: map[string]string{"other": "other-secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	addTable(t, dynamoClient(d.URL()))
	for _, url := range []string{d.URL(), d.OwnURL()} {
		for _, as := range identities {
			client := dynamodb.New(dynamodb.Options{BaseEndpoint: &url, Region: "us-east-1", Credentials: as.keys, Retryer: aws.NopRetryer{}})
			_, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(testTable)})
			if got := code(err); got != as.dynamoDB {
				t.Errorf("%s: scan as %s: got %q, want %q", url, as.name, got, as.dynamoDB)
			}
		}
	}
}

// TestS3RequiresCredentials checks both ports, with calls of the account, a bucket and an object.
func TestS3RequiresCredentials(t *testing.T) {
	srv, err := StartS3(t.Context(), S3Config{
		Dir: t.TempDir(), AccessKey: testKey, SecretKey: testSecret, Others: map[string]string{"other": "other-secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	owner, bucket, key := s3Client(srv.URL()), aws.String(testBucket), aws.String("a")
	if _, err := owner.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: bucket}); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{srv.URL(), srv.OwnURL()} {
		for _, as := range identities {
			client := s3.New(s3.Options{BaseEndpoint: &url, Region: "us-east-1", Credentials: as.keys, UsePathStyle: true, Retryer: aws.NopRetryer{}})
			_, list := client.ListBuckets(t.Context(), &s3.ListBucketsInput{})
			_, keys := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: bucket})
			_, read := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key})
			_, write := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("y")})
			for call, err := range map[string]error{"list buckets": list, "list": keys, "read": read, "write": write} {
				if got := code(err); got != as.s3 {
					t.Errorf("%s: %s as %s: got %q, want %q", url, call, as.name, got, as.s3)
				}
			}
		}
		for _, path := range []string{"/", "/" + testBucket, "/" + testBucket + "/a", "/health", "/metrics", "/debug/pprof/", "/admin"} {
			answer, err := (&http.Client{Timeout: time.Minute}).Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden && answer.StatusCode != http.StatusNotFound { // for a bucket that does not exist
				t.Errorf("GET %s%s without a signature: got status %d, want 403 or 404", url, path, answer.StatusCode)
			}
		}
	}
}

func TestNATSRequiresCredentials(t *testing.T) {
	if n, err := StartNATS(NATSConfig{Dir: t.TempDir()}); err == nil {
		n.Close()
		t.Error("StartNATS without a user succeeded, want an error")
	}
	n := startNATS(t, NATSConfig{Dir: t.TempDir()})
	addStream(t, connect(t, n.URL()))
	address := "nats://" + n.server.Addr().String()
	for _, as := range identities {
		conn, err := nats.Connect(address, nats.UserInfo(as.user, as.password))
		if (err == nil) != (as.user == testKey && as.password == testSecret) || err != nil && !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("connect as %s: got %v", as.name, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	// The server reports to clients of the system account only.
	conn, err := nats.Connect(n.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.RequestWithContext(t.Context(), "$SYS.REQ.SERVER.PING", nil); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("request to the system account: got %v, want %v", err, nats.ErrNoResponders)
	}
}
