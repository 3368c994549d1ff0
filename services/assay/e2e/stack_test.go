//go:build stack

package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
)

// TestStack: the programs and engines of docker-compose.yml, in containers, keep
// the promises of one process, also when they are killed, restarted and cut off.
func TestStack(t *testing.T) {
	c := readComposition(t)
	c.run(t, "volumes", host{once: true})
	_, port, err := net.SplitHostPort(keepableAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	nats := c.run(t, "nats", host{ports: map[string]string{"4222/tcp": port}}) // it is at the same place after a restart
	dynamodb, s3 := c.run(t, "dynamodb", host{}), c.run(t, "s3", host{})
	env := map[string]string{
		"ASSAY_S3_PUBLIC_ENDPOINT": "http://" + s3.at(t, "7070"),
		// The S3 server's notice is lost while NATS is away.
		"ASSAY_SWEEP_EVERY": "2s",
	}
	name, value, _ := strings.Cut(shortLease, "=")
	env[name] = value
	for range 2 { // it may run any number of times
		c.run(t, "setup", host{once: true})
	}
	ingest, query := c.run(t, "ingest", host{env: env}), c.run(t, "query", host{env: env})
	whole := &cluster{system: system{
		Operator: "http://" + ingest.at(t, "8084"),
		NATS:     "nats://operator:operator-local@" + nats.at(t, "4222"),
		S3:       "http://" + s3.at(t, "7070"), DynamoDB: "http://" + dynamodb.at(t, "8000"),
		AccessKey: "assay", SecretKey: "assay-local", Region: region, Bucket: "assay-files", Table: "text-analyzer-history",
	}}
	whole.front(t, &service{url: "http://" + ingest.at(t, "8081")}, &service{url: "http://" + query.at(t, "8083")})
	s := whole.system

	programs := []worker{ingest, query}
	analyzer := func() worker {
		a := c.run(t, "analyzer", host{env: env})
		programs = append(programs, a)
		return a
	}
	// First, since it counts all that there is.
	t.Run("disturbances lose nothing", func(t *testing.T) { disturbancesLoseNothing(t, c, s, nats, env) })
	t.Run("killed analyzer is replaced", func(t *testing.T) { killedAnalyzerIsReplaced(t, s, analyzer) })
	t.Run("analyzers share", func(t *testing.T) { analyzersShare(t, s, programs[len(programs)-1], analyzer(), analyzer()) })
	t.Run("promises", func(t *testing.T) { prove(t, s) })
	for _, program := range programs {
		if strings.Contains(program.written(), "NATS refused a request") {
			t.Errorf("NATS refused a request: %s", program.written())
		}
	}
}

// disturbancesLoseNothing: under a load of uploads NATS is restarted, an analyzer
// dies, and another is cut off from NATS, but not from DynamoDB and S3. What was
// accepted ends as it must, once, with it still cut off; and it works again when the
// network is mended.
func disturbancesLoseNothing(t *testing.T, c *composition, s system, nats *contained, env map[string]string) {
	side, err := network.New(within(t))
	if err != nil {
		t.Fatal(err)
	}
	testcontainers.CleanupNetwork(t, side)
	nats.join(t, side, "over-there")
	reach := maps.Clone(env)
	reach["ASSAY_NATS_URL"] = "nats://over-there:4222"
	remote := c.run(t, "analyzer", host{env: reach, networks: []string{side.Name}})
	doomed, steady := c.run(t, "analyzer", host{env: env}), c.run(t, "analyzer", host{env: env})

	ctx, cancel := context.WithTimeout(t.Context(), loadTime())
	defer cancel()
	l := startLoad(ctx, t, s, *faultUploads)
	var mend func()
	harms := []func(){
		func() { nats.restart(t) },
		func() { doomed.kill(t) },
		func() { mend = remote.cut(t, side) },
	}
	l.during(rand.New(rand.NewPCG(*faultSeed, 2)), len(harms), func(part int) { harms[part]() })
	l.audit(ctx, t)
	if t.Failed() {
		return
	}
	mend()
	eventually(t, func() error {
		state, err := remote.container.State(ctx)
		if err == nil && state.Health.Status != "healthy" {
			err = fmt.Errorf("the analyzer is %s", state.Health.Status)
		}
		return err
	})
	remote.kill(t)
	steady.kill(t)
}
