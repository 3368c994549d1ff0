package crashpoint

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/link"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/assay/setup"
	e2e "github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/query"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// lease is the lease duration of all workers; expires is the age at which a sweep removes reservations.
const (
	lease   = time.Second
	expires = 1500 * time.Millisecond
)

// limit is the timeout of a scenario, of an audit, and of closing a system.
const limit = 60 * time.Second

// system is Assay as separate services, on engines that it shares with other systems.
type system struct {
	number   int
	at       wire.Engines
	cfg      setup.Config
	audit    *audit.System
	files    *textfile.Store
	items    *feed.Store
	jobs     *photojob.Store
	nodes    *library.Store
	ids      *link.IDs // of nodes
	script   *script
	gemini   *geminitest.Server
	notices  atomic.Bool // whether the bucket publishes notifications
	together atomic.Bool // whether all services crash together

	mu         sync.Mutex
	running    map[string]*instance
	dead       []*instance
	promises   []audit.Promise
	supervisor sync.WaitGroup
}

// openSystem sets up a system and starts its services.
func openSystem(ctx context.Context, t *testing.T, e *engines, number int) *system {
	t.Helper()
	name := fmt.Sprintf("s%d", number)
	nats, err := url.Parse(e.at.NATS)
	if err != nil {
		t.Fatal(err)
	}
	nats.User = url.UserPassword(name, name)
	s := &system{number: number, at: e.at, script: newScript(), running: map[string]*instance{}}
	s.at.NATS = nats.String()
	s.cfg = setup.Config{
		Backends: backend.Config{
			AWS:      backend.AWS{Region: "us-east-1", AccessKey: accessKey, SecretKey: secretKey},
			DynamoDB: table.Config{Endpoint: e.at.DynamoDB}, S3: blob.Config{Endpoint: e.at.S3, Bucket: "system-" + name},
			NATS: bus.Config{URL: s.at.NATS, Replicas: 1, AllowUnsynced: true, WorkMaxMessages: 1000, OutcomesMaxAge: time.Hour},
		},
		TextFile: textfile.Config{Table: name + "-files"}, Feed: feed.Config{Primary: name + "-items", Dashboard: name + "-dashboard"},
		PhotoJob: photojob.Config{Env: "test", Table: name + "-jobs", Temp: "temp-" + name, Final: "final-" + name},
		Library:  library.Config{Nodes: name + "-nodes", Files: name + "-library", Workflows: name + "-workflows"},
		Platform: platform.Config{Table: name + "-platform"},
	}
	if err := setup.Run(ctx, s.cfg); err != nil {
		t.Fatal(err)
	}
	if s.audit, err = audit.Open(ctx, s.cfg); err != nil {
		t.Fatal(err)
	}
	s.files, s.items = textfile.NewStore(s.audit.DB(), s.cfg.TextFile), feed.NewStore(s.audit.DB(), s.cfg.Feed)
	s.jobs, s.nodes = photojob.NewStore(s.audit.DB(), s.cfg.PhotoJob), library.NewStore(s.audit.DB(), s.cfg.Library)
	s.ids = link.NewIDs(platform.NewStore(s.audit.DB(), s.cfg.Platform), s.nodes)
	s.openProvider(ctx, t)
	e.mu.Lock()
	e.systems[s.cfg.Backends.S3.Bucket], e.systems[s.cfg.PhotoJob.Temp] = s, s
	e.mu.Unlock()
	for _, role := range services() {
		s.start(t, role)
	}
	s.supervisor.Go(func() {
		for range s.script.died {
			s.restartDead(t)
		}
	})
	return s
}

// services lists the roles that always run.
func services() []string { return []string{ingest.Name, analyzer.Name, query.Name} }

// restartDead restarts the services that crashed.
func (s *system) restartDead(t *testing.T) {
	var dead []string
	for _, role := range services() {
		if s.current(role).died() {
			dead = append(dead, role)
		}
	}
	if len(dead) > 0 && s.together.Load() {
		dead = services()
	}
	for _, role := range dead {
		s.current(role).kill()
	}
	for _, role := range dead {
		s.start(t, role)
	}
}

// engines returns the addresses of the engines, with the system's own NATS account.
func (s *system) engines() wire.Engines { return s.at }

// environ returns the environment of a role behind a wire.
func (s *system) environ(role string, at wire.Engines) []string {
	uploads, reservations := "", "" // ingest uses the defaults, which are long enough for a busy machine
	if role != ingest.Name {
		uploads, reservations = time.Second.String(), expires.String()
	}
	return append(append(paidEnviron(), e2e.LocalReceivers()...),
		"ASSAY_NATS_URL="+at.NATS, "ASSAY_ALLOW_UNSYNCED=true", "ASSAY_DYNAMODB_ENDPOINT="+at.DynamoDB, "ASSAY_S3_ENDPOINT="+at.S3,
		"ASSAY_S3_PUBLIC_ENDPOINT="+s.at.S3, "ASSAY_S3_BUCKET="+s.cfg.Backends.S3.Bucket,
		"AWS_ACCESS_KEY_ID="+accessKey, "AWS_SECRET_ACCESS_KEY="+secretKey, "AWS_REGION=us-east-1",
		"ASSAY_TEXTFILE_TABLE="+s.cfg.TextFile.Table, "ASSAY_FEED_TABLE="+s.cfg.Feed.Primary,
		"ASSAY_FEED_DASHBOARD_TABLE="+s.cfg.Feed.Dashboard, fmt.Sprintf("ASSAY_PLATFORM_TABLE=s%d-platform", s.number),
		"ASSAY_PHOTOJOB_TABLE="+s.cfg.PhotoJob.Table, "ASSAY_PHOTOJOB_TEMP_BUCKET="+s.cfg.PhotoJob.Temp,
		"ASSAY_PHOTOJOB_FINAL_BUCKET="+s.cfg.PhotoJob.Final, "ASSAY_PHOTOJOB_FACES=false", // the model is slow with the race detector
		"LEANDA_NODES_TABLE="+s.cfg.Library.Nodes, "LEANDA_FILES_TABLE="+s.cfg.Library.Files, "LEANDA_WORKFLOW_STATE_TABLE="+s.cfg.Library.Workflows,
		"ASSAY_LEASE="+lease.String(), "ASSAY_PROJECTOR_LEASE="+lease.String(), "ASSAY_DRAIN="+drain.String(),
		"ASSAY_ANALYZER_PARALLEL=1", "ASSAY_NOTICES_PARALLEL=1",
		"ASSAY_SWEEP_EVERY=0", "ASSAY_SWEEP_RATE=1000000", "ASSAY_RESERVATION_EXPIRES="+reservations,
		"ASSAY_UPLOAD_EXPIRES="+uploads,
	)
}

// start starts a role, and restarts it while it crashes before it is ready.
func (s *system) start(t *testing.T, role string) {
	for {
		in, err := s.begin(role)
		if err != nil {
			t.Errorf("system %d: %s: %v", s.number, role, err)
			return
		}
		s.mu.Lock()
		if before := s.running[role]; before != nil {
			s.dead = append(s.dead, before)
		}
		s.running[role] = in
		s.mu.Unlock()
		switch {
		case in.url != "":
			s.cover(t, in)
			return
		case !in.died():
			<-in.done
			t.Errorf("system %d: %s did not start: %v\n%s", s.number, role, in.err, in.log)
			return
		}
		in.kill()
	}
}

// cover makes clients check the responses of ingest against its API descriptions. They are read at its first start,
// during which nothing crashes.
func (s *system) cover(t *testing.T, in *instance) {
	if in.role == ingest.Name {
		e2e.ServesAs(t, in.role, "public", in.url, nil)
		e2e.ServesAs(t, in.role, "operator", in.operator, nil)
	}
}

// ready waits until all services are ready.
func (s *system) ready(ctx context.Context) error {
	for ctx.Err() == nil {
		down := slices.ContainsFunc(services(), func(role string) bool { in := s.current(role); return in.url == "" || in.died() })
		if !down {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
	return fmt.Errorf("system %d: not all services are ready: %w", s.number, ctx.Err())
}

// restart kills a service; the supervisor starts it again.
func (s *system) restart(role string) {
	s.current(role).kill()
	s.script.died <- struct{}{}
}

func (s *system) current(role string) *instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[role]
}

// sweep runs sweeps until one succeeds.
func (s *system) sweep(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		in, err := s.begin(sweep)
		if err != nil {
			t.Errorf("system %d: %v", s.number, err)
			return
		}
		s.mu.Lock()
		s.running[sweep] = in
		s.mu.Unlock()
		select {
		case <-in.done:
		case <-in.wire.Done():
		case <-ctx.Done():
		}
		if !in.died() {
			in.stop()
			<-in.done
		}
		died := in.died()
		in.kill()
		s.mu.Lock()
		s.dead = append(s.dead, in)
		s.mu.Unlock()
		if !died && in.err == nil {
			return
		}
	}
	t.Errorf("system %d: no sweep succeeded: %v", s.number, ctx.Err())
}

// close stops the services and waits for every instance to end.
func (s *system) close(t *testing.T) {
	close(s.script.died)
	s.supervisor.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for role, in := range s.running {
		if role != sweep {
			in.stop()
			s.dead = append(s.dead, in)
		}
	}
	late := time.After(limit)
	for _, in := range s.dead {
		select {
		case <-in.done:
		case <-late:
			t.Errorf("system %d: %s is still running", s.number, in.role)
		}
		in.wire.Cut()
	}
	s.audit.Close()
}

// promise records a promise to a client, for the audit.
func (s *system) promise(p audit.Promise) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.promises = append(s.promises, p)
}

// settle waits until no messages are queued and final, if not nil, returns nil.
func (s *system) settle(ctx context.Context, final func(context.Context) error) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := s.idle(ctx)
		if err == nil && final != nil {
			err = final(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not settled: %w", err)
		case <-time.After(pause):
		}
	}
}

func (s *system) idle(ctx context.Context) error {
	for _, name := range []string{notice.Stream, textfile.WorkStream, feed.WorkStream, photojob.WorkStream, library.WorkStream} {
		stream, err := s.audit.JetStream().Stream(ctx, name)
		if err != nil {
			return err
		}
		if info := stream.CachedInfo(); info.State.Msgs > 0 {
			return fmt.Errorf("%d messages are queued in %s", info.State.Msgs, name)
		}
	}
	return nil
}

// rows returns the number of an item's dashboard rows before the first missing one, and
// an error if one is missing.
func (s *system) rows(ctx context.Context, sourceID string) (int, error) {
	item, err := s.items.Get(ctx, sourceID)
	if err != nil {
		return 0, err
	}
	want, err := dashboard.Rows(item)
	if err != nil {
		return 0, err
	}
	for i, row := range want {
		out, err := s.audit.DB().GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &s.cfg.Feed.Dashboard, ConsistentRead: aws.Bool(true),
			Key: table.Key{
				"day_partition": &types.AttributeValueMemberS{Value: row.DayPartition},
				"ingested_at":   &types.AttributeValueMemberS{Value: row.SortKey},
			},
		})
		if err != nil || out.Item == nil {
			return i, errors.Join(errors.New("a row is missing from the dashboard"), err)
		}
	}
	return len(want), nil
}

// unlist removes a file from its owner's list.
func (s *system) unlist(ctx context.Context, owner, fileID string) error {
	_, err := s.audit.DB().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.cfg.TextFile.Table, Key: table.Key{
		"PK": &types.AttributeValueMemberS{Value: "OWNER#" + owner}, "SK": &types.AttributeValueMemberS{Value: "FILE#" + fileID},
	}})
	return err
}
