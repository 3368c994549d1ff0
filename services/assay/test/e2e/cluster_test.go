package e2e

import (
	"cmp"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/assay/gateway"
)

// cluster is Assay as separate processes: each engine, and each service that a
// test starts.
type cluster struct {
	system
	nats, s3, dynamodb *engineProgram
	env                []string                   // of every service: the addresses of the engines
	identity           func(role string) []string // the identity of a program at the engines; nil if all are equal
}

// engineProgram is a running engine that can be restarted.
type engineProgram struct {
	*program
	role string
	env  []string
	url  string
}

// startCluster starts the engines and creates tables, bucket and streams.
func startCluster(t *testing.T, env ...string) *cluster {
	t.Helper()
	c := &cluster{}
	c.nats = startEngine(t, "nats")
	c.dynamodb = startEngine(t, "dynamodb")
	c.s3 = startEngine(t, "s3", "ASSAY_NATS_URL="+c.nats.url)
	c.join(t, env...)
	return c
}

// join returns a system on the engines, or on the proxies in front of them.
func (c *cluster) join(t *testing.T, env ...string) {
	t.Helper()
	c.system = system{
		NATS: c.nats.url, S3: cmp.Or(c.S3, c.s3.url), DynamoDB: c.dynamodb.url,
		AccessKey: accessKey, SecretKey: secretKey, Region: region,
		Bucket: cmp.Or(c.Bucket, "e2e-bucket"), Table: cmp.Or(c.Table, "e2e-table"),
	}
	c.env = append([]string{
		"ASSAY_NATS_URL=" + c.NATS, "ASSAY_NATS_SYNC=always", "ASSAY_S3_ENDPOINT=" + c.S3, "ASSAY_DYNAMODB_ENDPOINT=" + c.DynamoDB,
		"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_REGION=" + region,
		"ASSAY_S3_BUCKET=" + c.Bucket, "ASSAY_TEXTFILE_TABLE=" + c.Table,
		"ASSAY_ADDR=127.0.0.1:0", "ASSAY_OPERATOR_ADDR=127.0.0.1:0", "ASSAY_LOG_FORMAT=json", shortLease,
	}, env...)
	c.setUp(t)
}

// environment returns the environment of a program.
func (c *cluster) environment(role string, env ...string) []string {
	all := append(c.env[:len(c.env):len(c.env)], env...)
	if c.identity != nil {
		all = append(all, c.identity(role)...)
	}
	return all
}

// setUp runs `assay setup`.
func (c *cluster) setUp(t *testing.T) {
	t.Helper()
	p := launch(t, "assay", c.environment("setup"), "setup")
	if status := p.end(t); status != 0 {
		t.Fatalf("assay setup has the exit status %d: %s", status, p.output)
	}
}

func startEngine(t *testing.T, role string, env ...string) *engineProgram {
	t.Helper()
	e := &engineProgram{role: role, env: append(env, engineDir+"="+t.TempDir()), url: "tcp://" + keepableAddr(t)}
	e.start(t)
	return e
}

var engineURL = regexp.MustCompile(`engine at (\S+) is ready\n`)

// start starts the engine on its folder; a restart uses the same address.
func (e *engineProgram) start(t *testing.T) {
	t.Helper()
	_, addr, _ := strings.Cut(e.url, "://")
	e.program = launch(t, e.role, append(e.env, engineAddr+"="+addr))
	e.await(t, "is ready\n")
	e.url = engineURL.FindStringSubmatch(e.output.String())[1]
}

// service is a running ingest, analyzer or query.
type service struct {
	*program
	url      string
	operator string // of ingest and query: the address of the calls for operators
}

var readyLine = regexp.MustCompile(`"addr":"([^"]+)"[^\n]*"message":"ready"`)

var operatorLine = regexp.MustCompile(`"operator_addr":"([^"]+)"`)

// service starts a service with the cluster's environment only.
func (c *cluster) service(t *testing.T, role string, env ...string) *service {
	t.Helper()
	p := launch(t, role, c.environment(role, env...))
	p.await(t, `"message":"ready"`)
	s := &service{program: p, url: "http://" + readyLine.FindStringSubmatch(p.output.String())[1]}
	if found := operatorLine.FindStringSubmatch(p.output.String()); found != nil {
		s.operator = "http://" + found[1]
	}
	return s
}

// front starts the gateway in front of ingest and query.
func (c *cluster) front(t *testing.T, ingest, query *service) {
	t.Helper()
	front, err := gateway.Open(gateway.Config{Ingest: ingest.url, Query: query.url}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter(web.Options{})
	front.Routes(router)
	server := httptest.NewServer(router)
	t.Cleanup(func() {
		server.Close()
		front.Close()
	})
	c.HTTP, c.LiveOperator = server.URL, query.operator
}
