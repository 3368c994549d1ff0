package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// Config configures `assay serve` itself. The three services read their settings from the same
// environment, extended by the addresses of the engines.
type Config struct {
	Addr         string `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8080" use:"often" doc:"address of the HTTP API; port 0 selects a free port"`
	OperatorAddr string `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:0" doc:"address for operators, with /metrics; port 0 selects a free port"`
	DataDir      string `env:"ASSAY_DATA_DIR" use:"often" doc:"folder for all data; default: a folder in the user's data directory"`
	NATSAddr     string `env:"ASSAY_NATS_ADDR" envDefault:"127.0.0.1:0" doc:"address of the embedded NATS server"`
	S3Addr       string `env:"ASSAY_S3_ADDR" envDefault:"127.0.0.1:0" use:"often" doc:"address of the embedded S3 server"`
	DynamoDBAddr string `env:"ASSAY_DYNAMODB_ADDR" envDefault:"127.0.0.1:0" doc:"address of the embedded DynamoDB engine"`
	NATSSync     string `env:"ASSAY_NATS_SYNC" envDefault:"always" doc:"always, or the interval between syncs to disk, such as 1s; a power failure loses messages acknowledged since the last sync"`

	S3PublicEndpoint string        `env:"ASSAY_S3_PUBLIC_ENDPOINT" use:"often" doc:"URL of the S3 server for clients; default: its own address"`
	AccessKey        string        `env:"AWS_ACCESS_KEY_ID" doc:"access key of the embedded S3 and DynamoDB engines, used with AWS_SECRET_ACCESS_KEY; default: assay"`
	SecretKey        string        `env:"AWS_SECRET_ACCESS_KEY" secret:"true" doc:"secret of the access key; default: random, created at the first start in the file credentials of the data folder"`
	NATSUser         string        `env:"ASSAY_NATS_USER" doc:"user of the embedded NATS server, used with ASSAY_NATS_PASSWORD; default: assay"`
	NATSPassword     string        `env:"ASSAY_NATS_PASSWORD" secret:"true" doc:"password of the NATS user; default: derived from AWS_SECRET_ACCESS_KEY, and shown by assay env"`
	Region           string        `env:"AWS_REGION" envDefault:"us-east-1" doc:"region for the request signatures of clients of the embedded backends"`
	Drain            time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"maximum time for requests and work in progress to finish on shutdown"`

	BackupTo    string        `env:"ASSAY_BACKUP_TO" use:"often" doc:"where backups are made on a schedule: the absolute path of a folder, or s3://BUCKET/PREFIX; default: no schedule"`
	BackupEvery time.Duration `env:"ASSAY_BACKUP_EVERY" envDefault:"24h" doc:"interval of scheduled backups, at least 1m"`
	BackupKeep  int           `env:"ASSAY_BACKUP_KEEP" envDefault:"7" doc:"number of backups that a scheduled backup keeps; 0 keeps all"`
	BackupRate  string        `env:"ASSAY_BACKUP_RATE" envDefault:"50MiB" doc:"maximum number of bytes that a backup reads in a second; 0 means no maximum"`

	// AcceptEmpty starts even if parts of the data folder are absent, empty or of another folder. It has no variable,
	// so that it applies to one start only.
	AcceptEmpty bool
	// Owner is that of the command line of the user who starts the server. It has no variable here: ASSAY_OWNER is one of
	// the settings of the command line.
	Owner string

	Exposure process.Exposure
	Log      obs.Config
}

func (c Config) validate() error {
	for _, engine := range []struct{ variable, addr string }{
		{"ASSAY_NATS_ADDR", c.NATSAddr}, {"ASSAY_DYNAMODB_ADDR", c.DynamoDBAddr}, {"ASSAY_S3_ADDR", c.S3Addr},
	} {
		// A missing host could mean all addresses or only loopback, so the host must be explicit.
		if host, _, err := net.SplitHostPort(engine.addr); err != nil || host == "" {
			return fmt.Errorf("%s is %q: must be host:port, such as 127.0.0.1:0 or 0.0.0.0:9000", engine.variable, engine.addr)
		}
	}
	if c.AccessKey != "" && c.SecretKey == "" {
		return errors.New("only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set: set both, or neither")
	}
	if c.NATSUser != "" && c.NATSPassword == "" {
		return errors.New("only one of ASSAY_NATS_USER and ASSAY_NATS_PASSWORD is set: set both, or neither")
	}
	if _, err := c.backupSchedule(); err != nil {
		return err
	}
	// Every engine requires credentials. S3 is for clients; the other two contain what the API protects, and their
	// traffic, with the password of NATS, is not encrypted.
	engines := process.Exposure{AllowAnonymous: c.Exposure.AllowAnonymous}
	return errors.Join(engines.Check("ASSAY_NATS_ADDR", c.NATSAddr), engines.Check("ASSAY_DYNAMODB_ADDR", c.DynamoDBAddr))
}

// withKeys adds the credentials of the engines, taken from the environment or the data directory. It
// returns the path of the credentials file, or "" if the keys are from the environment.
func (c Config) withKeys(dir string) (Config, string, error) {
	keys, path := endpoints.Credentials{AccessKey: cmp.Or(c.AccessKey, endpoints.AccessKey), SecretKey: c.SecretKey}, ""
	if keys.SecretKey == "" {
		var err error
		if keys, err = endpoints.EnsureCredentials(dir); err != nil {
			return c, "", err
		}
		path = endpoints.CredentialsPath(dir)
	}
	c.AccessKey, c.SecretKey = keys.AccessKey, keys.SecretKey
	c.NATSUser = cmp.Or(c.NATSUser, endpoints.AccessKey)
	c.NATSPassword = cmp.Or(c.NATSPassword, keys.NATSPassword())
	return c, path, nil
}

// s3Hosts returns the host names for which the S3 server accepts requests, including the one in
// presigned URLs.
func (c Config) s3Hosts() (web.Hosts, error) {
	var public string
	if c.S3PublicEndpoint != "" {
		at, err := url.Parse(c.S3PublicEndpoint)
		if err != nil || at.Hostname() == "" {
			return web.Hosts{}, fmt.Errorf("ASSAY_S3_PUBLIC_ENDPOINT is %q: must be a URL such as https://files.example.com", c.S3PublicEndpoint)
		}
		public = at.Hostname()
	}
	return c.Exposure.Hosts(public, hostOf(c.S3Addr))
}

// origins returns the web origins of the web app served at the HTTP address.
func (c Config) origins(http net.Addr) []string {
	_, port, err := net.SplitHostPort(http.String())
	if err != nil {
		return nil
	}
	scheme := c.Exposure.TLS.Scheme()
	all := []string{origin(scheme, "localhost", port), origin(scheme, "127.0.0.1", port), origin(scheme, "::1", port)}
	if host := hostOf(c.Addr); !web.Loopback(host) {
		all = append(all, origin(scheme, host, port))
	}
	for _, name := range c.Exposure.PublicHosts {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		host, given, err := net.SplitHostPort(name)
		if err != nil {
			host, given = name, ""
		}
		all = append(all, origin(scheme, host, port), origin("http", host, given), origin("https", host, given))
	}
	return all
}

// origin returns the origin of a host's pages in the form that browsers send. An empty port means
// the scheme's default.
func origin(scheme, host, port string) string {
	host = strings.ToLower(host)
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return scheme + "://" + host
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// hostOf returns the host of host:port, or "" if there is none.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	return host
}
