package e2e

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// natsUsers are the users of deploy/nats/nats.conf. Here each has its name as
// its password.
var natsUsers = []string{"setup", "ingest", "analyzer", "query", "s3", "operator"}

// natsConfiguration is the file, as seen from the role's process too.
const natsConfiguration = "E2E_NATS_CONFIGURATION"

// serveGuardedNATS serves NATS as deploy/nats/nats.conf has it.
func serveGuardedNATS(dir, addr string, serve func(url string)) error {
	options, err := server.ProcessConfigFile(os.Getenv(natsConfiguration))
	if err != nil {
		return err
	}
	options.StoreDir, options.HTTPPort, options.NoSigs = dir, 0, true
	options.Host, options.Port = "127.0.0.1", server.RANDOM_PORT
	if _, port, err := net.SplitHostPort(addr); err == nil {
		if options.Port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	engine, err := server.NewServer(options)
	if err != nil {
		return err
	}
	engine.Start()
	if !engine.ReadyForConnections(startWait) {
		return errors.New("it is not ready for connections")
	}
	serve(engine.ClientURL())
	engine.Shutdown()
	engine.WaitForShutdown()
	return nil
}

// startGuardedCluster is startCluster with a user for each program.
func startGuardedCluster(t *testing.T, env ...string) *cluster {
	t.Helper()
	c := &cluster{identity: func(role string) []string {
		return []string{"ASSAY_NATS_USER=" + role, "ASSAY_NATS_PASSWORD=" + role}
	}}
	path, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	guard := []string{natsConfiguration + "=" + path + "/../../../deploy/nats/nats.conf"}
	for _, user := range natsUsers {
		guard = append(guard, "ASSAY_NATS_"+strings.ToUpper(user)+"_PASSWORD="+user)
	}
	c.nats = startEngine(t, "guarded-nats", guard...)
	c.dynamodb = startEngine(t, "dynamodb")
	c.s3 = startEngine(t, "s3", "ASSAY_NATS_URL="+as("s3", c.nats.url))
	c.join(t, env...)
	c.NATS = as("operator", c.NATS)
	return c
}

// as is the URL of a NATS server for one of its users.
func as(user, url string) string {
	return strings.Replace(url, "://", "://"+user+":"+user+"@", 1)
}

// TestGuardedServicesKeepThePromises: with no more permissions than
// deploy/nats/nats.conf gives, the services keep every promise.
func TestGuardedServicesKeepThePromises(t *testing.T) {
	t.Parallel()
	c := startGuardedCluster(t)
	services := []*service{c.service(t, "ingest"), c.service(t, "query"), c.service(t, "analyzer")}
	c.front(t, services[0], services[1])
	t.Run("promises", func(t *testing.T) { prove(t, c.system) })
	for _, s := range services {
		if strings.Contains(s.output.String(), "NATS refused a request") {
			t.Errorf("NATS refused a request:\n%s", s.output.tail(8000))
		}
	}
}

// TestForbiddenIsSaidAtOnce: a program that may not do what it needs ends with
// the subject that it may not use, long before anything times out.
func TestForbiddenIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	c := startGuardedCluster(t)
	for name, test := range map[string]struct {
		role, user string
		says       string
	}{
		"analyzer as ingest": {"analyzer", "ingest", "the user of analyzer may not publish to $JS.API.CONSUMER.INFO.ASSAY_WORK.analyzer-"},
		"ingest as query":    {"ingest", "query", "stream ASSAY_NOTICES: NATS forbids it: the user of ingest may not publish to $JS.API.STREAM.INFO.ASSAY_NOTICES"},
	} {
		c.identity = func(string) []string {
			return []string{"ASSAY_NATS_USER=" + test.user, "ASSAY_NATS_PASSWORD=" + test.user}
		}
		p := launch(t, test.role, c.environment(test.role))
		if status := p.end(t); status != 1 || !strings.Contains(p.output.String(), test.says) {
			t.Errorf("%s: exit status %d, want 1: %s", name, status, p.output)
		}
	}
}
