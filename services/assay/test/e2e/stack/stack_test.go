//go:build stack

package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"

	"github.com/assay-project/assay/services/assay/test/e2e"
	"github.com/assay-project/assay/services/assay/test/e2e/operation"
	"github.com/assay-project/assay/services/assay/test/e2e/recovery"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/e2e/uploads"
)

// TestStack: the programs and engines of docker-compose.yml, in containers, keep the same promises as a single process,
// even when they are killed, restarted and disconnected.
func TestStack(t *testing.T) {
	c := readComposition(t)
	c.run(t, "volumes", host{once: true})
	// These engines keep their ports after a restart.
	natsPort, s3Port := map[string]string{"4222/tcp": keepablePort(t)}, map[string]string{"7070/tcp": keepablePort(t)}
	nats := c.run(t, "nats", host{ports: natsPort})
	tables, bucket := c.run(t, "dynamodb", host{}), c.run(t, "s3", host{ports: s3Port})
	env := map[string]string{
		"ASSAY_S3_PUBLIC_ENDPOINT": "http://" + bucket.at(t, "7070"),
		// Notifications of the S3 server are lost while NATS is down.
		"ASSAY_SWEEP_EVERY": "2s",
	}
	name, value, _ := strings.Cut(system.ShortLease, "=")
	env[name] = value
	for range 2 { // setup can run any number of times
		c.run(t, "setup", host{once: true})
	}
	ingest, query := c.run(t, "ingest", host{env: env}), c.run(t, "query", host{env: env})
	gateway := c.run(t, "gateway", host{})
	s := system.System{
		HTTP:     "http://" + gateway.at(t, "8080"),
		Operator: "http://" + gateway.at(t, "8087"), LiveOperator: "http://" + gateway.at(t, "8087"),
		NATS: "nats://operator:operator-local@" + nats.at(t, "4222"),
		S3:   "http://" + bucket.at(t, "7070"), DynamoDB: "http://" + tables.at(t, "8000"),
		AccessKey: "assay", SecretKey: "assay-local", Region: system.Region, Bucket: "assay-files", Table: "text-analyzer-history",
	}

	programs := []recovery.Worker{ingest, query}
	analyzer := func() recovery.Worker {
		a := c.run(t, "analyzer", host{env: env})
		programs = append(programs, a)
		return a
	}
	// This must be the first test, because it audits all items.
	t.Run("faults lose nothing", func(t *testing.T) { faultsLoseNothing(t, c, s, nats, env) })
	t.Run("killed analyzer is replaced", func(t *testing.T) { recovery.KilledAnalyzerIsReplaced(t, s, analyzer) })
	t.Run("analyzers share", func(t *testing.T) { recovery.AnalyzersShare(t, s, programs[len(programs)-1], analyzer(), analyzer()) })
	t.Run("promises", func(t *testing.T) { e2e.Promises().Prove(t, s) })
	t.Run("one address", func(t *testing.T) { operation.PromisesOfOneAddress().Prove(t, s) })
	t.Run("keys are separate", func(t *testing.T) { keysAreSeparate(t, c, s) })
	for _, a := range programs[len(programs)-3:] {
		a.Kill(t) // so that no sweep finds unreported uploads
	}
	quiet := maps.Clone(env)
	quiet["ASSAY_SWEEP_EVERY"] = "0"
	programs = append(programs, c.run(t, "analyzer", host{env: quiet}))
	t.Run("notification alone", func(t *testing.T) { uploads.BucketNoticeIsEnough(t, s) })
	t.Run("notification and call", func(t *testing.T) { uploads.NoticesAreOneEvent(t, s) })
	bucket.stop(t)
	c.run(t, "s3", host{ports: s3Port, env: map[string]string{"VGW_EVENT_NATS_URL": ""}})
	t.Run("call alone", func(t *testing.T) { callIsEnough(t, s) })
	for _, program := range programs {
		if strings.Contains(program.Written(), "NATS rejected a request") {
			t.Errorf("NATS rejected a request: %s", program.Written())
		}
	}
}

// faultsLoseNothing: during uploads, NATS is restarted, an analyzer is killed, and another is disconnected from NATS,
// but not from DynamoDB and S3. Every accepted upload ends once, as promised, while the analyzer is still disconnected.
// The analyzer works again after it is reconnected.
func faultsLoseNothing(t *testing.T, c *composition, s system.System, nats *contained, env map[string]string) {
	side, err := network.New(system.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	testcontainers.CleanupNetwork(t, side)
	nats.join(t, side, "remote-nats")
	remoteEnv := maps.Clone(env)
	remoteEnv["ASSAY_NATS_URL"] = "nats://remote-nats:4222"
	remote := c.run(t, "analyzer", host{env: remoteEnv, networks: []string{side.Name}})
	killed, steady := c.run(t, "analyzer", host{env: env}), c.run(t, "analyzer", host{env: env})

	ctx, cancel := context.WithTimeout(t.Context(), system.LoadTime())
	defer cancel()
	l := system.StartLoad(ctx, t, s, system.LoadUploads())
	var reconnect func()
	faults := []func(){
		func() { nats.restart(t) },
		func() { killed.Kill(t) },
		func() { reconnect = remote.cut(t, side) },
	}
	l.During(rand.New(rand.NewPCG(system.LoadSeed(), 2)), len(faults), func(part int) { faults[part]() })
	l.Audit(ctx, t)
	if t.Failed() {
		return
	}
	reconnect()
	system.Eventually(t, func() error {
		state, err := remote.container.State(ctx)
		if err == nil && state.Health.Status != "healthy" {
			err = fmt.Errorf("the analyzer is %s, want healthy", state.Health.Status)
		}
		return err
	})
	remote.Kill(t)
	steady.Kill(t)
}

// callIsEnough: if the bucket sends no notification, the client's own call causes one analysis of its file.
func callIsEnough(t *testing.T, s system.System) {
	js := s.JetStream(t)
	before := notices(t, js)
	c := s.Client(t, system.NewOwner())
	uploads := s.Listen(t, "assay.file.uploaded.*")
	text := system.RandomText(23, 300)
	file := system.UploadPresigned(t, c, "called.txt", "text/plain", []byte(text))
	system.CheckResult(t, system.Await(t, c, file.FileID), system.Count(text))
	if ids := s.Announced(t, uploads, file.FileID); len(ids) != 1 {
		t.Errorf("got FileUploaded ids %v, want one", ids)
	}
	if ids := s.Outcomes(t, js, file.FileID); len(ids) != 1 {
		t.Errorf("got outcomes %v, want one", ids)
	}
	if after := notices(t, js); after != before {
		t.Errorf("the bucket sent %d notifications, want 0", after-before)
	}
}

// notices returns the number of notifications that the bucket has sent.
func notices(t *testing.T, js jetstream.JetStream) uint64 {
	t.Helper()
	stream, err := js.Stream(system.Within(t), "ASSAY_NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State.LastSeq
}

// keysAreSeparate: the key of each program has only the permissions of its policy. DynamoDB Local does not check
// permissions.
func keysAreSeparate(t *testing.T, c *composition, s system.System) {
	as := func(who string) system.System {
		its := s
		its.AccessKey, its.SecretKey = who, who+"-local"
		return its
	}
	key := system.Item{"PK": &types.AttributeValueMemberS{Value: "FILE#none"}, "SK": &types.AttributeValueMemberS{Value: "META"}}
	put := func(who string) error {
		_, err := as(who).Tables().PutItem(system.Within(t), &dynamodb.PutItemInput{TableName: &s.Table, Item: key})
		return err
	}
	get := func(who string, attribute string) error {
		in := &dynamodb.GetItemInput{TableName: &s.Table, Key: key}
		if attribute != "" {
			in.ProjectionExpression, in.ExpressionAttributeNames = aws.String("#a"), map[string]string{"#a": attribute}
		}
		_, err := as(who).Tables().GetItem(system.Within(t), in)
		return err
	}
	store := func(its system.System, object string) error {
		_, err := its.Objects().PutObject(system.Within(t), &s3.PutObjectInput{Bucket: &s.Bucket, Key: &object, Body: strings.NewReader("x")})
		return err
	}
	load := func(who, object string) error {
		_, err := as(who).Objects().HeadObject(system.Within(t), &s3.HeadObjectInput{Bucket: &s.Bucket, Key: &object})
		return err
	}
	forged := as("ingest")
	forged.SecretKey = "guessed"
	refused := map[string]error{
		"query stores bytes":                     store(as("query"), "files/none/none"),
		"analyzer stores bytes":                  store(as("analyzer"), "files/none/none"),
		"ingest stores bytes outside its prefix": store(as("ingest"), "other"),
		"a forged key stores bytes":              store(forged, "files/none/none"),
		"query reads texts":                      load("query", "feed/none"),
	}
	allowed := map[string]error{"ingest stores a text": store(as("ingest"), "feed/none")}
	if strings.Contains(c.services["dynamodb"].Command, "-policies") {
		maps.Copy(refused, map[string]error{
			"query writes a file":                   put("query"),
			"analyzer creates a file":               put("analyzer"),
			"ingest reads all attributes of a file": get("ingest", ""),
			"ingest reads a result":                 get("ingest", "result"),
			"an unknown key reads a file":           get("stranger", ""),
		})
		maps.Copy(allowed, map[string]error{
			"query reads a file":               get("query", ""),
			"ingest reads the owner of a file": get("ingest", "ownerId"),
		})
	}
	for name, err := range refused {
		if status, ok := errors.AsType[interface {
			error
			HTTPStatusCode() int
		}](err); !ok || status.HTTPStatusCode() != http.StatusForbidden && !strings.Contains(err.Error(), "AccessDeniedException") {
			t.Errorf("%s: got %v, want access denied", name, err)
		}
	}
	for name, err := range allowed {
		if err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
	}
}
