package backend

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// AWS configures the credentials for the AWS APIs. Without keys the SDK's default chain applies:
// environment, shared files, container or instance role.
type AWS struct {
	Region    string `env:"AWS_REGION" envDefault:"us-east-1" use:"often" doc:"the AWS region; any value for local backends"`
	AccessKey string `env:"AWS_ACCESS_KEY_ID" use:"often" doc:"the access key; without it, the default credential chain of the AWS SDK applies"`
	SecretKey string `env:"AWS_SECRET_ACCESS_KEY" secret:"true" use:"often" doc:"the secret key that belongs to the access key"`
	Session   string `env:"AWS_SESSION_TOKEN" secret:"true" doc:"the session token of temporary keys"`
}

// credentialsWait limits the search for credentials at start: on a machine without any, the SDK
// would query an instance metadata service that does not exist.
const credentialsWait = 10 * time.Second

// load returns the SDK's configuration. It returns an error when no
// credentials can be found.
func (cfg AWS) load(ctx context.Context) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{
		config.WithRegion(cfg.Region),
		// The SDK rejects AWS_CA_BUNDLE with a client of another type.
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			// The SDK keeps 10 idle connections to a host; a busy worker has more requests in flight and would
			// open a new connection for each.
			t.MaxIdleConns, t.MaxIdleConnsPerHost = 256, 128
			// The buffers are large enough to send and receive a small file and its headers in one system call.
			t.WriteBufferSize, t.ReadBufferSize = 8<<10, 8<<10
		})),
	}
	if cfg.AccessKey != "" {
		options = append(options, config.WithCredentialsProvider(
			credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, cfg.Session)))
	}
	loaded, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("AWS configuration: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, credentialsWait)
	defer cancel()
	if _, err := loaded.Credentials.Retrieve(ctx); err != nil {
		return aws.Config{}, fmt.Errorf("no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the process a role: %w", err)
	}
	return loaded, nil
}

// ownConnections replaces the connection pool of base, which cannot be closed, with one that can be
// closed and has the same settings.
func ownConnections(base *aws.Config) (*http.Transport, error) {
	client, ok := base.HTTPClient.(*awshttp.BuildableClient)
	if !ok {
		return nil, fmt.Errorf("AWS configuration: unexpected HTTP client %T", base.HTTPClient)
	}
	pool := client.GetTransport()
	base.HTTPClient = &http.Client{
		Transport: pool,
		// A redirected request would carry a signature for another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return pool, nil
}
