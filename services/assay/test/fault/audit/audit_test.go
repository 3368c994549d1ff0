package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// fixture is a system on embedded engines without services, so that a test controls its
// content.
type fixture struct {
	*audit.System
	bus   *bus.Bus
	files *textfile.Store
	items *feed.Store
	board *dashboard.Dashboard
}

func open(t *testing.T) *fixture {
	t.Helper()
	nats, err := embedded.StartNATS(embedded.NATSConfig{Dir: t.TempDir(), User: "assay", Password: "secret", Sync: "1s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Close)
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: t.TempDir() + "/dynamodb.db", AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	s3, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: t.TempDir(), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := setup.Config{
		Backends: backend.Config{
			AWS:      backend.AWS{Region: "us-east-1", AccessKey: "key", SecretKey: "secret"},
			DynamoDB: table.Config{Endpoint: db.URL()}, S3: blob.Config{Endpoint: s3.URL(), Bucket: "audited"},
			NATS: bus.Config{URL: nats.URL(), Replicas: 1, AllowUnsynced: true, WorkMaxMessages: 1000, OutcomesMaxAge: time.Hour},
		},
		TextFile: textfile.Config{Table: "files"}, Feed: feed.Config{Primary: "items", Dashboard: "dashboard"}, Platform: platform.Config{Table: "platform"},
		PhotoJob: photojob.Config{Env: "test"}, Library: library.Config{Nodes: "nodes", Files: "library", Workflows: "workflows"},
	}
	if err := setup.Run(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	h := &fixture{}
	if h.System, err = audit.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Backends.NATS.Work = []bus.Work{textfile.Work(), feed.Work(), library.Work()}
	if h.bus, err = bus.Connect(t.Context(), cfg.Backends.NATS, "test", zerolog.Nop(), prometheus.NewRegistry()); err != nil {
		t.Fatal(err)
	}
	h.files, h.items, h.board = textfile.NewStore(h.DB(), cfg.TextFile), feed.NewStore(h.DB(), cfg.Feed), dashboard.New(h.DB(), cfg.Feed)
	t.Cleanup(func() {
		h.bus.Close()
		h.Close()
		if err := s3.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// file stores a file that an analyzer has claimed.
func (h *fixture) file(ctx context.Context, t *testing.T, id string) textfile.File {
	t.Helper()
	key := textfile.Reservation{FileName: id, Size: 1}.ObjectKey(id)
	must[blob.Object](t)(h.Bucket().Put(ctx, key, "text/plain", nil, strings.NewReader("x")))
	f := must[textfile.File](t)(h.files.Reserve(ctx, textfile.File{FileID: id, OwnerID: "o", S3Bucket: "audited", S3Key: key, FileName: id}))
	return must[textfile.File](t)(h.files.Claim(ctx, f))
}

func (h *fixture) completed(ctx context.Context, t *testing.T, id string) textfile.File {
	t.Helper()
	f := must[textfile.File](t)(h.files.Complete(ctx, h.file(ctx, t, id), textfile.Result{TotalWords: 1, Top10Words: []textfile.WordCount{}}))
	h.publishOutcome(ctx, t, textfile.Name, id, f.Updated())
	return f
}

func (h *fixture) publishOutcome(ctx context.Context, t *testing.T, area, id string, at time.Time) {
	t.Helper()
	if err := h.bus.Publish(ctx, event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: area, Id: id, CompletedAt: timestamppb.New(at)})); err != nil {
		t.Fatal(err)
	}
}

func (h *fixture) analyzed(ctx context.Context, t *testing.T, id string, shown bool) feed.Item {
	t.Helper()
	must[blob.Object](t)(h.Bucket().Put(ctx, feed.TextKey(id), "text/plain", nil, strings.NewReader("good")))
	i, _, err := h.items.Create(ctx, feed.Submission{SourceID: id, SourceType: "newsapi", Text: "good", MatchedTags: []string{"a"}}.Item(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	i = must[feed.Item](t)(h.items.Analyze(ctx, i, feed.Analysis{Sentiment: feed.Positive, Score: 1, ModelVersion: "v1.0.0"}))
	if shown {
		if err := h.board.Apply(ctx, dashboard.Image{Item: i}); err != nil {
			t.Fatal(err)
		}
	}
	at := must[time.Time](t)(i.Analyzed())
	h.publishOutcome(ctx, t, feed.Name, id, at)
	return i
}

const statistics = `{"totalWords":1,"uniqueWords":0,"avgWordLength":0,"top10Words":[]}`

// TestEveryBrokenPromiseIsFound: an audit finds every kind of lost, doubled and stuck item, and
// reports no others.
func TestEveryBrokenPromiseIsFound(t *testing.T) {
	h, ctx := open(t), t.Context()
	var promises []audit.Promise
	want := map[string]audit.Kind{} // by id; correct items have no entry
	n := 0
	id := func() string { n++; return fmt.Sprintf("0190a0a0-0000-7000-8000-%012d", n) }
	promise := func(id string, kind audit.Kind, change func(*audit.Promise)) {
		p := audit.Promise{Run: "case", Area: textfile.Name, ID: id, At: time.Now(), Result: statistics}
		if change != nil {
			change(&p)
		}
		if kind != "" {
			want[id] = kind
		}
		promises = append(promises, p)
	}
	ofFeed := func(p *audit.Promise) { p.Area, p.Result = feed.Name, feed.Positive }

	promise(h.completed(ctx, t, id()).FileID, "", nil)
	promise(h.completed(ctx, t, id()).FileID, audit.Lost, func(p *audit.Promise) { p.Result = "{}" })
	promise(h.completed(ctx, t, id()).FileID, audit.Lost, func(p *audit.Promise) { p.End = audit.Failed })
	promise(h.completed(ctx, t, id()).FileID, audit.Lost, func(p *audit.Promise) { p.End = audit.Gone })
	promise("unknown", audit.Lost, nil)
	promise("never accepted", "", func(p *audit.Promise) { p.At = time.Time{} })
	promise(h.file(ctx, t, id()).FileID, audit.Stuck, nil)
	twice := h.completed(ctx, t, id())
	h.publishOutcome(ctx, t, textfile.Name, twice.FileID, twice.Updated().Add(time.Second))
	promise(twice.FileID, audit.Doubled, nil)
	silent := must[textfile.File](t)(h.files.Complete(ctx, h.file(ctx, t, id()), textfile.Result{TotalWords: 1, Top10Words: []textfile.WordCount{}}))
	promise(silent.FileID, audit.Lost, nil)
	noBytes := h.completed(ctx, t, id())
	if err := h.Bucket().Delete(ctx, noBytes.S3Key); err != nil {
		t.Fatal(err)
	}
	promise(noBytes.FileID, audit.Lost, nil)
	waits := h.completed(ctx, t, id())
	if err := h.bus.Publish(ctx, textfile.NewUploaded(&event.FileUploaded{FileId: waits.FileID})); err != nil {
		t.Fatal(err)
	}
	promise(waits.FileID, audit.Stuck, nil)
	unlisted := h.completed(ctx, t, id())
	_, err := h.DB().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("files"), Key: table.Key{
		"PK": &types.AttributeValueMemberS{Value: "OWNER#o"}, "SK": &types.AttributeValueMemberS{Value: "FILE#" + unlisted.FileID},
	}})
	if err != nil {
		t.Fatal(err)
	}
	promise(unlisted.FileID, audit.Stuck, nil)
	want[h.completed(ctx, t, id()).FileID] = audit.Doubled // without a promise

	promise(h.analyzed(ctx, t, "a#right", true).SourceID, "", ofFeed)
	promise(h.analyzed(ctx, t, "a#hidden", false).SourceID, audit.Stuck, ofFeed)
	other := h.analyzed(ctx, t, "a#twice", true)
	other.IngestedAt = "2025-01-01T00:00:00.000Z"
	if _, _, err := h.items.Create(ctx, other); err != nil {
		t.Fatal(err)
	}
	promise(other.SourceID, audit.Doubled, ofFeed)
	must[blob.Object](t)(h.Bucket().Put(ctx, feed.TextKey("a#left"), "text/plain", nil, strings.NewReader("good")))
	promise("a#left", audit.Stuck, func(p *audit.Promise) { ofFeed(p); p.At = time.Time{} })

	for _, failure := range []struct {
		reason string
		dead   bool
		want   audit.Kind
	}{
		{reason.FileEmpty.Error(), false, ""}, {reason.FileEmpty.Error(), true, audit.Stuck},
		{reason.UploadGone.Error(), true, ""}, {reason.UploadGone.Error(), false, audit.Lost},
	} {
		f := must[textfile.File](t)(h.files.Fail(ctx, h.file(ctx, t, id()), failure.reason))
		if err := h.bus.Publish(ctx, event.NewAnalysisFailed(&event.AnalysisFailed{Area: textfile.Name, Id: f.FileID, FailedAt: timestamppb.New(f.Updated())})); err != nil {
			t.Fatal(err)
		}
		if failure.dead {
			e := textfile.NewUploaded(&event.FileUploaded{FileId: f.FileID})
			if err := h.bus.RestoreDeadLetter(ctx, textfile.Consumer, e, bus.Failure{Reason: failure.reason, At: f.Updated()}); err != nil {
				t.Fatal(err)
			}
		}
		promise(f.FileID, failure.want, func(p *audit.Promise) { p.End = audit.Failed })
	}

	report := must[audit.Report](t)(h.Audit(ctx, promises, 0))
	compare(t, report, want)
	if accepted := len(promises) - 2; report.Accepted != accepted || report.Kept() {
		t.Errorf("Accepted = %d, Kept() = %t, want %d and false", report.Accepted, report.Kept(), accepted)
	}
}

// compare reports missing findings, and findings for ids that are not in want.
func compare(t *testing.T, report audit.Report, want map[string]audit.Kind) {
	t.Helper()
	found := map[string][]audit.Kind{}
	for _, f := range report.Findings {
		found[f.Promise.ID] = append(found[f.Promise.ID], f.Kind)
	}
	for id, kind := range want {
		if !slices.Contains(found[id], kind) {
			t.Errorf("findings of %s = %v, want %s", id, found[id], kind)
		}
	}
	for id, kinds := range found {
		if want[id] == "" {
			t.Errorf("findings of %s = %v, want none", id, kinds)
		}
	}
	if t.Failed() {
		t.Log(report)
	}
}
