package operation

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestEnginesRequireCredentials: in every mode the engines of serve reject callers without the credentials of the data
// directory, and accept those that `assay env` names. Only the owner of the directory can read them.
func TestEnginesRequireCredentials(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"none", "token"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := system.StartServer(t, t.TempDir(), "ASSAY_AUTH="+mode)
			env := printedEnv(t, s.Dir)
			loaded, err := config.LoadDefaultConfig(t.Context(), config.WithSharedCredentialsFiles([]string{env["AWS_SHARED_CREDENTIALS_FILE"]}),
				config.WithSharedConfigFiles([]string{env["AWS_CONFIG_FILE"]}))
			if err != nil {
				t.Fatal(err)
			}
			owned, err := loaded.Credentials.Retrieve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			of := func(key, secret string) aws.CredentialsProvider {
				return credentials.NewStaticCredentialsProvider(key, secret, "")
			}
			for name, as := range map[string]struct {
				keys         aws.CredentialsProvider
				dynamoDB, s3 string
			}{
				"anonymous":    {aws.AnonymousCredentials{}, "MissingAuthenticationTokenException", "AccessDenied"},
				"unknown key":  {of("any", "any"), "UnrecognizedClientException", "InvalidAccessKeyId"},
				"wrong secret": {of(owned.AccessKeyID, "assay-local"), "InvalidSignatureException", "SignatureDoesNotMatch"},
				"owner":        {loaded.Credentials, "", ""},
			} {
				base := aws.Config{Region: env["AWS_REGION"], Credentials: as.keys, Retryer: func() aws.Retryer { return aws.NopRetryer{} }}
				at := func(variable string) *string { return aws.String(env[variable]) }
				_, scan := dynamodb.NewFromConfig(base, func(o *dynamodb.Options) { o.BaseEndpoint = at("AWS_ENDPOINT_URL_DYNAMODB") }).
					Scan(system.Within(t), &dynamodb.ScanInput{TableName: aws.String("assay-platform")})
				_, streams := dynamodbstreams.NewFromConfig(base, func(o *dynamodbstreams.Options) { o.BaseEndpoint = at("AWS_ENDPOINT_URL_DYNAMODB_STREAMS") }).
					ListStreams(system.Within(t), &dynamodbstreams.ListStreamsInput{})
				_, list := s3.NewFromConfig(base, func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = at("AWS_ENDPOINT_URL_S3"), true }).
					ListObjectsV2(system.Within(t), &s3.ListObjectsV2Input{Bucket: &s.Bucket})
				for call, got := range map[string]struct {
					err  error
					want string
				}{"scan": {scan, as.dynamoDB}, "streams": {streams, as.dynamoDB}, "objects": {list, as.s3}} {
					if exception := exceptionOf(got.err); exception != got.want {
						t.Errorf("%s as %s: got %q, want %q", call, name, exception, got.want)
					}
				}
			}
			natsRequiresUser(t, env["NATS_URL"])
			onlyOwnerReads(t, s.Dir)
		})
	}
}

// printedEnv returns the variables of `assay env`.
func printedEnv(t *testing.T, dir string) map[string]string {
	t.Helper()
	p := system.Launch(t, "assay", nil, "env", "--json", "--data", dir)
	if status := p.End(t); status != 0 {
		t.Fatalf("assay env: exit status %d: %s", status, p.Output)
	}
	var env map[string]string
	if err := json.Unmarshal([]byte(p.Written()), &env); err != nil {
		t.Fatalf("assay env: %v: %s", err, p.Output)
	}
	return env
}

func exceptionOf(err error) string {
	if failure, ok := errors.AsType[smithy.APIError](err); ok {
		return failure.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func natsRequiresUser(t *testing.T, url string) {
	t.Helper()
	_, addr, found := strings.Cut(url, "@")
	if !found {
		t.Fatalf("NATS_URL is %q, want one with a user", url)
	}
	for _, user := range []string{"", "assay:assay@", "assay:@", "other:password@"} {
		conn, err := nats.Connect("nats://" + user + addr)
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("connect as %q: got %v, want %v", user, err, nats.ErrAuthorization)
		}
		if err == nil {
			conn.Close()
		}
	}
	js, err := jetstream.New(system.System{NATS: url}.Events(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Stream(system.Within(t), "ASSAY_AUDIT"); err != nil {
		t.Errorf("the audit stream with NATS_URL: %v", err)
	}
}

// onlyOwnerReads checks the modes of the files with credentials, and of the data directory, which prevents others from
// reaching all other files.
func onlyOwnerReads(t *testing.T, dir string) {
	t.Helper()
	for name, want := range map[string]os.FileMode{".": 0o700, "credentials": 0o600, "endpoints.json": 0o600, "operator.json": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v", name, info.Mode(), want)
		}
	}
}
