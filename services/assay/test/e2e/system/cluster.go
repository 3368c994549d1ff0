package system

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

// Cluster is Assay as separate processes: each engine, and each service that a test starts.
type Cluster struct {
	System
	NATSEngine, S3Engine, DynamoDBEngine *EngineProgram
	Env                                  []string                   // environment of every service, with the addresses of the engines
	SetUpBy                              string                     // file of the program that sets up the engines; empty for this build
	Identity                             func(role string) []string // variables with the credentials of a program; nil if all programs have the same credentials
}

// EngineProgram is a running engine that can be restarted.
type EngineProgram struct {
	*Program
	role string
	env  []string
	URL  string
}

// StartCluster starts the engines and creates tables, bucket and streams.
func StartCluster(t *testing.T, env ...string) *Cluster {
	t.Helper()
	c := &Cluster{}
	c.Begin(t, env...)
	return c
}

// Begin starts the engines of a cluster, and creates tables, bucket and streams.
func (c *Cluster) Begin(t *testing.T, env ...string) {
	t.Helper()
	c.NATSEngine = StartEngine(t, "nats")
	c.DynamoDBEngine = StartEngine(t, "dynamodb")
	c.S3Engine = StartEngine(t, "s3", "ASSAY_NATS_URL="+c.NATSEngine.URL)
	c.Join(t, env...)
}

// Join sets the endpoints to those of the engines, or of the proxies in front of them, and runs SetUp.
func (c *Cluster) Join(t *testing.T, env ...string) {
	t.Helper()
	c.System = System{
		NATS: c.NATSEngine.URL, S3: cmp.Or(c.S3, c.S3Engine.URL), DynamoDB: c.DynamoDBEngine.URL,
		AccessKey: AccessKey, SecretKey: SecretKey, Region: Region,
		Bucket: cmp.Or(c.Bucket, "e2e-bucket"), Table: cmp.Or(c.Table, "e2e-table"),
	}
	c.Env = append([]string{
		"ASSAY_NATS_URL=" + c.NATS, "ASSAY_NATS_SYNC=always", "ASSAY_S3_ENDPOINT=" + c.S3, "ASSAY_DYNAMODB_ENDPOINT=" + c.DynamoDB,
		"AWS_ACCESS_KEY_ID=" + AccessKey, "AWS_SECRET_ACCESS_KEY=" + SecretKey, "AWS_REGION=" + Region,
		"ASSAY_S3_BUCKET=" + c.Bucket, "ASSAY_TEXTFILE_TABLE=" + c.Table,
		"ASSAY_ADDR=127.0.0.1:0", "ASSAY_OPERATOR_ADDR=127.0.0.1:0", "ASSAY_LOG_FORMAT=json", ShortLease,
	}, append(LocalReceivers(), env...)...)
	c.SetUp(t)
}

// LocalReceivers returns the settings that allow the receivers of webhooks that tests run.
func LocalReceivers() []string {
	return []string{"ASSAY_WEBHOOKS_ALLOW_NETWORKS=127.0.0.0/8"}
}

// Environment returns the environment of a program.
func (c *Cluster) Environment(role string, env ...string) []string {
	all := append(c.Env[:len(c.Env):len(c.Env)], env...)
	if c.Identity != nil {
		all = append(all, c.Identity(role)...)
	}
	return all
}

// SetUp runs `assay setup`.
func (c *Cluster) SetUp(t *testing.T) {
	t.Helper()
	var p *Program
	if c.SetUpBy != "" {
		p = LaunchFile(t, c.SetUpBy, c.Environment("setup"), "setup")
	} else {
		p = Launch(t, "assay", c.Environment("setup"), "setup")
	}
	if status := p.End(t); status != 0 {
		t.Fatalf("assay setup: exit status %d, want 0: %s", status, p.Output)
	}
}

// StartEngine starts an engine with a new data directory at a free address. role is nats, guarded-nats, dynamodb or s3.
// The engine is killed when the test ends.
func StartEngine(t *testing.T, role string, env ...string) *EngineProgram {
	t.Helper()
	e := &EngineProgram{role: role, env: append(env, engineDir+"="+t.TempDir()), URL: "tcp://" + KeepableAddr(t)}
	e.Start(t)
	return e
}

var engineURL = regexp.MustCompile(`engine at (\S+) is ready\n`)

// Start starts the engine with its data directory. A restart uses the same address.
func (e *EngineProgram) Start(t *testing.T) {
	t.Helper()
	_, addr, _ := strings.Cut(e.URL, "://")
	addr = addr[strings.Index(addr, "@")+1:] // without the credentials of NATS
	e.Program = Launch(t, e.role, append(e.env, engineAddr+"="+addr))
	e.Await(t, "is ready\n")
	e.URL = engineURL.FindStringSubmatch(e.Output.String())[1]
}

// Service is a running process of ingest, analyzer or query.
type Service struct {
	*Program
	URL      string
	Operator string // URL of the operator address
}

var readyLine = regexp.MustCompile(`"addr":"([^"]+)"[^\n]*"message":"ready"`)

var operatorLine = regexp.MustCompile(`"operator_addr":"([^"]+)"`)

// Service starts ingest, analyzer or query with the cluster's environment and env, and returns when it is ready.
func (c *Cluster) Service(t *testing.T, role string, env ...string) *Service {
	t.Helper()
	all := c.Environment(role, env...)
	s := ready(t, Launch(t, role, all))
	ServesAs(t, role, "public", s.URL, all)
	ServesAs(t, role, "operator", s.Operator, all)
	return s
}

// ServiceOf is like Service, for a program in a file.
func (c *Cluster) ServiceOf(t *testing.T, path, role string, env ...string) *Service {
	t.Helper()
	s := ready(t, LaunchFile(t, path, c.Environment(role, env...)))
	Serves(t, s.URL)
	Serves(t, s.Operator)
	return s
}

// ready waits until a program is ready, and returns its addresses.
func ready(t *testing.T, p *Program) *Service {
	t.Helper()
	p.Await(t, `"message":"ready"`)
	s := &Service{Program: p, URL: "http://" + readyLine.FindStringSubmatch(p.Output.String())[1]}
	if found := operatorLine.FindStringSubmatch(p.Output.String()); found != nil {
		s.Operator = "http://" + found[1]
	}
	return s
}

// Front starts the gateway in front of ingest and query in this process, and sets HTTP and the addresses for operators
// to the addresses of the gateway. Without an analyzer, calls to its operator address fail.
func (c *Cluster) Front(t *testing.T, ingest, query *Service, analyzer ...*Service) {
	t.Helper()
	operated := "http://127.0.0.1:1"
	if len(analyzer) > 0 {
		operated = analyzer[0].Operator
	}
	front, err := gateway.Open(gateway.Config{
		Ingest: ingest.URL, Query: query.URL,
		IngestOperator: ingest.Operator, QueryOperator: query.Operator, AnalyzerOperator: operated,
	}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	router, operators := web.NewRouter(web.Options{}), web.NewRouter(web.Options{Roles: []web.Role{web.Operator}})
	front.Routes(router)
	front.OperatorRoutes(operators)
	server, operator := httptest.NewServer(router), httptest.NewServer(operators)
	t.Cleanup(func() {
		server.Close()
		operator.Close()
		front.Close()
	})
	Serves(t, server.URL)
	Serves(t, operator.URL)
	c.HTTP, c.Operator, c.LiveOperator = server.URL, operator.URL, operator.URL
}

// NoSweep disables sweeps, except those that a test runs with Sweep.
const NoSweep = "ASSAY_SWEEP_EVERY=0"

// Sweep runs `assay sweep`, which must succeed, and returns its output.
func (c *Cluster) Sweep(t *testing.T, args ...string) string {
	t.Helper()
	p := Launch(t, "assay", c.Environment("analyzer"), append([]string{"sweep"}, args...)...)
	if status := p.End(t); status != 0 {
		t.Fatalf("assay sweep: exit status %d, want 0: %s", status, p.Output)
	}
	return p.Output.String()
}
