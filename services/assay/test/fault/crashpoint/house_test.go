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
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/query"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// lease is that of all workers; expires that of reservations, for a sweep.
const (
	lease   = time.Second
	expires = 1500 * time.Millisecond
)

// soon bounds everything that a life waits for.
const soon = 60 * time.Second

// house is one Assay as separate services, on its part of the engines.
type house struct {
	number  int
	at      wire.Engines
	cfg     setup.Config
	system  *audit.System
	files   *textfile.Store
	items   *feed.Store
	script  *script
	notices atomic.Bool // whether the bucket tells of new objects
	whole   atomic.Bool // whether all services die together

	mu       sync.Mutex
	running  map[string]*incarnation
	dead     []*incarnation
	promises []audit.Promise
	nurse    sync.WaitGroup
}

// openHouse sets a house up and starts its services.
func openHouse(ctx context.Context, t *testing.T, e *engines, number int) *house {
	t.Helper()
	name := fmt.Sprintf("h%d", number)
	nats, err := url.Parse(e.at.NATS)
	if err != nil {
		t.Fatal(err)
	}
	nats.User = url.UserPassword(name, name)
	h := &house{number: number, at: e.at, script: newScript(), running: map[string]*incarnation{}}
	h.at.NATS = nats.String()
	h.cfg = setup.Config{
		Backends: backend.Config{
			AWS:      backend.AWS{Region: "us-east-1", AccessKey: accessKey, SecretKey: secretKey},
			DynamoDB: table.Config{Endpoint: e.at.DynamoDB}, S3: blob.Config{Endpoint: e.at.S3, Bucket: "house-" + name},
			NATS: bus.Config{URL: h.at.NATS, Replicas: 1, AllowUnsynced: true, WorkMaxMessages: 1000, OutcomesMaxAge: time.Hour},
		},
		TextFile: textfile.Config{Table: name + "-files"}, Feed: feed.Config{Primary: name + "-items", Dashboard: name + "-dashboard"},
		PhotoJob: photojob.Config{Env: "test", Table: name + "-jobs", Temp: "temp-" + name, Final: "final-" + name},
		Platform: platform.Config{Table: name + "-platform"},
	}
	if err := setup.Run(ctx, h.cfg); err != nil {
		t.Fatal(err)
	}
	if h.system, err = audit.Open(ctx, h.cfg); err != nil {
		t.Fatal(err)
	}
	h.files, h.items = textfile.NewStore(h.system.DB(), h.cfg.TextFile), feed.NewStore(h.system.DB(), h.cfg.Feed)
	e.mu.Lock()
	e.houses[h.cfg.Backends.S3.Bucket], e.houses[h.cfg.PhotoJob.Temp] = h, h
	e.mu.Unlock()
	for _, role := range services() {
		h.revive(t, role)
	}
	h.nurse.Go(func() {
		for range h.script.died {
			h.bury(t)
		}
	})
	return h
}

// services are the roles that always run.
func services() []string { return []string{ingest.Name, analyzer.Name, query.Name} }

// bury ends what has died and starts it again.
func (h *house) bury(t *testing.T) {
	var dead []string
	for _, role := range services() {
		if h.current(role).died() {
			dead = append(dead, role)
		}
	}
	if len(dead) > 0 && h.whole.Load() {
		dead = services()
	}
	for _, role := range dead {
		h.current(role).kill()
	}
	for _, role := range dead {
		h.revive(t, role)
	}
}

// engines are the addresses of the house's part of the engines.
func (h *house) engines() wire.Engines { return h.at }

// environ is the environment of a role behind a wire.
func (h *house) environ(role string, at wire.Engines) []string {
	uploads := "" // ingest gives a busy machine time
	if role != ingest.Name {
		uploads = time.Second.String() // less than expires
	}
	return []string{
		"ASSAY_NATS_URL=" + at.NATS, "ASSAY_ALLOW_UNSYNCED=true", "ASSAY_DYNAMODB_ENDPOINT=" + at.DynamoDB, "ASSAY_S3_ENDPOINT=" + at.S3,
		"ASSAY_S3_PUBLIC_ENDPOINT=" + h.at.S3, "ASSAY_S3_BUCKET=" + h.cfg.Backends.S3.Bucket,
		"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_REGION=us-east-1",
		"ASSAY_TEXTFILE_TABLE=" + h.cfg.TextFile.Table, "ASSAY_FEED_TABLE=" + h.cfg.Feed.Primary,
		"ASSAY_FEED_DASHBOARD_TABLE=" + h.cfg.Feed.Dashboard, fmt.Sprintf("ASSAY_PLATFORM_TABLE=h%d-platform", h.number),
		"ASSAY_PHOTOJOB_TABLE=" + h.cfg.PhotoJob.Table, "ASSAY_PHOTOJOB_TEMP_BUCKET=" + h.cfg.PhotoJob.Temp,
		"ASSAY_PHOTOJOB_FINAL_BUCKET=" + h.cfg.PhotoJob.Final,
		"ASSAY_LEASE=" + lease.String(), "ASSAY_PROJECTOR_LEASE=" + lease.String(), "ASSAY_DRAIN=" + drain.String(),
		"ASSAY_ANALYZER_PARALLEL=1", "ASSAY_NOTICES_PARALLEL=1",
		"ASSAY_SWEEP_EVERY=0", "ASSAY_SWEEP_RATE=1000000", "ASSAY_RESERVATION_EXPIRES=" + expires.String(),
		"ASSAY_UPLOAD_EXPIRES=" + uploads,
	}
}

// revive starts a role, again and again where it dies at its start.
func (h *house) revive(t *testing.T, role string) {
	for {
		in, err := h.begin(role)
		if err != nil {
			t.Errorf("house %d: %s: %v", h.number, role, err)
			return
		}
		h.mu.Lock()
		if before := h.running[role]; before != nil {
			h.dead = append(h.dead, before)
		}
		h.running[role] = in
		h.mu.Unlock()
		switch {
		case in.url != "":
			return
		case !in.died():
			<-in.done
			t.Errorf("house %d: %s did not start: %v\n%s", h.number, role, in.err, in.log)
			return
		}
		in.kill()
	}
}

// well waits until all services run.
func (h *house) well(ctx context.Context) error {
	for ctx.Err() == nil {
		ill := slices.ContainsFunc(services(), func(role string) bool { in := h.current(role); return in.url == "" || in.died() })
		if !ill {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
	return fmt.Errorf("house %d: not all services run: %w", h.number, ctx.Err())
}

// restart kills a service and starts it again.
func (h *house) restart(role string) {
	h.current(role).kill()
	h.script.died <- struct{}{}
}

func (h *house) current(role string) *incarnation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.running[role]
}

// sweep sweeps until it succeeds.
func (h *house) sweep(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		in, err := h.begin(sweep)
		if err != nil {
			t.Errorf("house %d: %v", h.number, err)
			return
		}
		h.mu.Lock()
		h.running[sweep] = in
		h.mu.Unlock()
		select {
		case <-in.done:
		case <-in.wire.Done():
		case <-ctx.Done():
		}
		if !in.died() {
			in.stop()
			<-in.done // it ended, or is late
		}
		died := in.died()
		in.kill()
		h.mu.Lock()
		h.dead = append(h.dead, in)
		h.mu.Unlock()
		if !died && in.err == nil {
			return
		}
	}
	t.Errorf("house %d: no sweep succeeds: %v", h.number, ctx.Err())
}

// close ends the services and waits for all that ran of them.
func (h *house) close(t *testing.T) {
	close(h.script.died)
	h.nurse.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for role, in := range h.running {
		if role != sweep {
			in.stop() // in peace
			h.dead = append(h.dead, in)
		}
	}
	late := time.After(soon)
	for _, in := range h.dead {
		select {
		case <-in.done:
		case <-late:
			t.Errorf("house %d: %s still runs", h.number, in.role)
		}
		in.wire.Cut()
	}
	h.system.Close()
}

// promise keeps what a client was promised.
func (h *house) promise(p audit.Promise) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.promises = append(h.promises, p)
}

// settle waits until nothing waits any more and the item has come to its end.
func (h *house) settle(ctx context.Context, final func(context.Context) error) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := h.idle(ctx)
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

func (h *house) idle(ctx context.Context) error {
	for _, name := range []string{notice.Stream, textfile.WorkStream, feed.WorkStream} {
		stream, err := h.system.JetStream().Stream(ctx, name)
		if err != nil {
			return err
		}
		if info := stream.CachedInfo(); info.State.Msgs > 0 {
			return fmt.Errorf("%d messages wait in %s", info.State.Msgs, name)
		}
	}
	return nil
}

// rows returns how many rows the dashboard has of an item, and an error while they
// are not all that it should have.
func (h *house) rows(ctx context.Context, sourceID string) (int, error) {
	item, err := h.items.Get(ctx, sourceID)
	if err != nil {
		return 0, err
	}
	want, err := dashboard.Rows(item)
	if err != nil {
		return 0, err
	}
	for i, row := range want {
		out, err := h.system.DB().GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &h.cfg.Feed.Dashboard, ConsistentRead: aws.Bool(true),
			Key: table.Key{
				"day_partition": &types.AttributeValueMemberS{Value: row.DayPartition},
				"ingested_at":   &types.AttributeValueMemberS{Value: row.SortKey},
			},
		})
		if err != nil || out.Item == nil {
			return i, errors.Join(errors.New("the dashboard lacks one"), err)
		}
	}
	return len(want), nil
}

// unlist takes a file off its owner's list by hand.
func (h *house) unlist(ctx context.Context, owner, fileID string) error {
	_, err := h.system.DB().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &h.cfg.TextFile.Table, Key: table.Key{
		"PK": &types.AttributeValueMemberS{Value: "OWNER#" + owner}, "SK": &types.AttributeValueMemberS{Value: "FILE#" + fileID},
	}})
	return err
}
