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

// Config is the settings of `assay serve` itself. The three services read
// theirs from the same environment, extended by the engines' addresses.
type Config struct {
	Addr         string `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8080" use:"often" doc:"the address of the HTTP API; port 0 picks a free one"`
	OperatorAddr string `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:0" doc:"the address for operators, with /metrics; port 0 picks a free one"`
	DataDir      string `env:"ASSAY_DATA_DIR" use:"often" doc:"the folder for all data; by default one in the user's data directory"`
	NATSAddr     string `env:"ASSAY_NATS_ADDR" envDefault:"127.0.0.1:0" doc:"the address of the embedded NATS server"`
	S3Addr       string `env:"ASSAY_S3_ADDR" envDefault:"127.0.0.1:0" use:"often" doc:"the address of the embedded S3 server"`
	DynamoDBAddr string `env:"ASSAY_DYNAMODB_ADDR" envDefault:"127.0.0.1:0" doc:"the address of the embedded DynamoDB"`
	NATSSync     string `env:"ASSAY_NATS_SYNC" envDefault:"always" doc:"always, or the interval between syncs to disk, such as 1s; a power failure loses messages acknowledged since the last"`

	S3PublicEndpoint string        `env:"ASSAY_S3_PUBLIC_ENDPOINT" use:"often" doc:"the URL under which clients reach the S3 server; its own address by default"`
	AccessKey        string        `env:"AWS_ACCESS_KEY_ID" doc:"the access key of the embedded S3 server, together with AWS_SECRET_ACCESS_KEY; assay by default"`
	SecretKey        string        `env:"AWS_SECRET_ACCESS_KEY" secret:"true" doc:"the secret of the access key; by default a random one, created at the first start in the file credentials of the data folder"`
	Region           string        `env:"AWS_REGION" envDefault:"us-east-1" doc:"the region that clients of the embedded backends sign for"`
	Drain            time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long requests and work in progress may take on shutdown"`

	Exposure process.Exposure
	Log      obs.Config
}

func (c Config) validate() error {
	for _, engine := range []struct{ variable, addr string }{
		{"ASSAY_NATS_ADDR", c.NATSAddr}, {"ASSAY_DYNAMODB_ADDR", c.DynamoDBAddr}, {"ASSAY_S3_ADDR", c.S3Addr},
	} {
		// A missing host could mean all addresses or only loopback, so it must be explicit.
		if host, _, err := net.SplitHostPort(engine.addr); err != nil || host == "" {
			return fmt.Errorf("%s is %q: must be host:port, such as 127.0.0.1:0 or 0.0.0.0:9000", engine.variable, engine.addr)
		}
	}
	if c.AccessKey != "" && c.SecretKey == "" {
		return errors.New("only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set: set both, or neither")
	}
	// S3 checks signatures; the other two engines accept every client.
	engines := process.Exposure{AllowAnonymous: c.Exposure.AllowAnonymous}
	return errors.Join(engines.Check("ASSAY_NATS_ADDR", c.NATSAddr), engines.Check("ASSAY_DYNAMODB_ADDR", c.DynamoDBAddr))
}

// withKeys adds the keys of the S3 server: from the environment, otherwise from the data directory.
// It returns the file that holds them, empty for the environment.
func (c Config) withKeys(dir string) (Config, string, error) {
	if c.SecretKey != "" {
		c.AccessKey = cmp.Or(c.AccessKey, endpoints.AccessKey)
		return c, "", nil
	}
	keys, err := endpoints.EnsureCredentials(dir)
	c.AccessKey, c.SecretKey = keys.AccessKey, keys.SecretKey
	return c, endpoints.CredentialsPath(dir), err
}

// s3Hosts returns the names under which the S3 server accepts requests, including the one in presigned
// URLs.
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

// origins returns the web origins of the page that is served on the HTTP address.
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

// origin returns the origin of a host's pages, as browsers write it; an empty port is the scheme's
// default.
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

// hostOf returns the host of host:port, empty if there is none.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	return host
}
