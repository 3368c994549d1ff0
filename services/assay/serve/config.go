package serve

import (
	"fmt"
	"net"
	"time"

	"github.com/assay-project/assay/pkg/obs"
)

// Config is the settings of `assay serve` itself. The three services read
// theirs from the same environment, with the engines' addresses put in.
type Config struct {
	Addr         string `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8080" doc:"the address of the HTTP API; port 0 picks one"`
	OperatorAddr string `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:0" doc:"the address of the calls for operators; port 0 picks one"`
	DataDir      string `env:"ASSAY_DATA_DIR" doc:"the folder that everything is kept under; a per-user data folder by default"`
	NATSAddr     string `env:"ASSAY_NATS_ADDR" envDefault:"127.0.0.1:0" doc:"the address of the embedded NATS server"`
	S3Addr       string `env:"ASSAY_S3_ADDR" envDefault:"127.0.0.1:0" doc:"the address of the embedded S3 server"`
	DynamoDBAddr string `env:"ASSAY_DYNAMODB_ADDR" envDefault:"127.0.0.1:0" doc:"the address of the embedded DynamoDB engine"`
	NATSSync     string `env:"ASSAY_NATS_SYNC" envDefault:"always" doc:"always, or how old an acknowledged message may be before it is on disk, such as 1s"`

	S3PublicEndpoint string        `env:"ASSAY_S3_PUBLIC_ENDPOINT" doc:"the URL under which clients reach the S3 server; its own address by default"`
	AccessKey        string        `env:"AWS_ACCESS_KEY_ID" envDefault:"assay" doc:"the access key of the embedded engines"`
	SecretKey        string        `env:"AWS_SECRET_ACCESS_KEY" envDefault:"assay-local" secret:"true" doc:"the secret of the access key"`
	Region           string        `env:"AWS_REGION" envDefault:"us-east-1" doc:"the region that clients of the embedded engines sign for"`
	Drain            time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long requests and work in hand may take on shutdown"`

	Log obs.Config
}

// defaultSecret is known to everyone, so it guards nothing.
const defaultSecret = "assay-local"

func (c Config) validate() error {
	var host string // of S3, the last
	for _, engine := range []struct{ variable, addr string }{
		{"ASSAY_NATS_ADDR", c.NATSAddr}, {"ASSAY_DYNAMODB_ADDR", c.DynamoDBAddr}, {"ASSAY_S3_ADDR", c.S3Addr},
	} {
		var err error
		// No host could mean all addresses or loopback only; of an engine that has to be said.
		if host, _, err = net.SplitHostPort(engine.addr); err != nil || host == "" {
			return fmt.Errorf("%s is %q: give host:port, such as 127.0.0.1:0 or 0.0.0.0:9000", engine.variable, engine.addr)
		}
	}
	if ip := net.ParseIP(host); c.SecretKey == defaultSecret && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("ASSAY_S3_ADDR is %q, which others can reach: set AWS_SECRET_ACCESS_KEY to a secret of your own", c.S3Addr)
	}
	return nil
}
