package alerting

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var every = flag.Bool("alerting.all", false, "cause every fault, not only those of the merge checks")

// fault is a fault and the alerts that fire because of it, all of them.
type fault struct {
	name  string
	want  []string
	cause func(t *testing.T, want []string)
	gate  bool // whether the merge checks cause it: one fault needs half a minute of CPU time with the race detector
}

// faults lists a fault for every alert.
func faults() []fault {
	return []fault{
		{"no analyzer", []string{"AssayServiceDown", "AssayBacklogOld", "AssayNoOutcome", "AssaySweepNotRunning"}, noAnalyzer, true},
		{"full work stream", []string{"AssayServiceDown", "AssayBacklogOld", "AssayNoOutcome", "AssaySweepNotRunning", "AssayStreamNearlyFull"}, fullStream, false},
		{"one of two analyzers", []string{"AssayInstanceDown"}, oneOfTwo, false},
		{"no NATS", []string{"AssayNotReady", "AssayStatusUnknown", "AssayRequestsFailing"}, noNATS, false},
		{"no DynamoDB", []string{"AssayNotReady", "AssayStatusUnknown", "AssayRequestsFailing", "AssayProjectionLag"}, noDynamoDB, false},
		{"no S3", []string{"AssayNotReady", "AssayDeadLetters", "AssayFailureShare", "AssaySweepFailed"}, noS3, false},
		{"deleted consumer", []string{"AssayConsumerRecreated"}, deletedConsumer, false},
		{"rejected key of a provider", []string{"AssayProviderHeld", "AssayBacklogOld", "AssayNoOutcome"}, rejectedKey, false},
		{"lost messages", []string{"AssaySweepFindings"}, lostMessages, false},
		{"orphans", []string{"AssaySweepStopped", "AssaySweepFailed"}, orphans, false},
		{"dropped changes", []string{"AssayProjectionGap"}, droppedChanges, false},
		{"unreadable item", []string{"AssayProjectionPoison", "AssaySweepFindings", "AssaySweepFailed"}, unreadableItem, false},
		{"failing endpoint", []string{"AssayWebhooksFailing"}, failingEndpoint, true},
		{"expiring certificate", []string{"AssayCertificateExpires"}, expiringCertificate, false},
		{"full disk", []string{"AssayDiskNearlyFull", "AssayNotReady"}, nil, false}, // TestFullDisk
		{"failing backups", []string{"AssayBackupOld"}, nil, false},                 // TestFailingBackups
	}
}

// TestEveryAlertHasAFault checks that the list is complete.
func TestEveryAlertHasAFault(t *testing.T) {
	caused := map[string]bool{}
	for _, f := range faults() {
		for _, alert := range f.want {
			caused[alert] = true
		}
	}
	for _, r := range rules(t) {
		if !caused[r.Alert] {
			t.Errorf("no fault causes %s, want one", r.Alert)
		}
		delete(caused, r.Alert)
	}
	for alert := range caused {
		t.Errorf("a fault causes %s, which is no alert", alert)
	}
}

// TestFaultsFire: each fault causes its alerts and no other. The recordings are continued for half an hour. The merge checks
// cause some of the faults, `make rounds` all.
func TestFaultsFire(t *testing.T) {
	for _, f := range faults() {
		if f.cause == nil || !f.gate && !*every {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.cause(t, f.want)
		})
	}
}

// settle is how long a fault is recorded once it is visible, so that nothing of the time before is in the tail.
const settle = 2 * usualTail

func noAnalyzer(t *testing.T, want []string) {
	w := watch(t)
	w.ended(t, w.upload(t, 3), client.Completed)
	w.analyzer.Kill(t)
	w.upload(t, 3)
	w.until(t, above(2, "assay_backlog_items{", `area="textfile"`))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func fullStream(t *testing.T, want []string) {
	w := watch(t)
	w.analyzer.Kill(t)
	w.upload(t, 3)
	w.fill(t, "ASSAY_WORK_TEXTFILE")
	w.until(t, above(0.8, "assay_stream_fill_ratio{", `stream="ASSAY_WORK_TEXTFILE"`))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func oneOfTwo(t *testing.T, want []string) {
	w := watch(t)
	second := w.Service(t, "analyzer")
	w.targets = append(w.targets, target{"assay-analyzer", "analyzer-2:8086", func() string { return second.Operator }})
	w.record(t, 3*interval)
	second.Kill(t)
	w.ended(t, w.upload(t, 3), client.Completed)
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func noNATS(t *testing.T, want []string) {
	w := watch(t)
	w.NATSEngine.Kill(t)
	w.rejects(t)
	w.fires(t, longest, want...)
}

func noDynamoDB(t *testing.T, want []string) {
	w := watch(t)
	w.DynamoDBEngine.Kill(t)
	w.rejects(t)
	w.fires(t, longest, want...)
}

// rejects sends feed items, which are rejected, during the time in which a fault is recorded.
func (w *watched) rejects(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(settle); time.Now().Before(end); w.record(t, 2*interval) {
		if status := w.post(t, "/v1/feed/items", system.JSON(system.NewPosting("The book was good.", "a"))); status != http.StatusServiceUnavailable {
			t.Errorf("without the backend, a feed item got %d, want 503", status)
		}
	}
}

func noS3(t *testing.T, want []string) {
	w := watch(t, "ASSAY_ATTEMPTS=1", "ASSAY_S3_TIMEOUT=500ms") // so that sweeps end soon
	w.analyzer.Kill(t)
	ids := w.upload(t, 4)
	w.S3Engine.Kill(t)
	w.analyzer = w.Service(t, "analyzer")
	w.scrape(t)
	w.ended(t, ids, client.Failed)
	w.until(t, above(3, "assay_dead_letters{", `area="textfile"`, `reason="unavailable"`))
	w.tail = time.Minute // a sweep that waits for S3 takes up to half of it
	w.record(t, w.tail)
	w.fires(t, longest, want...)
}

func deletedConsumer(t *testing.T, want []string) {
	w := watch(t)
	for times := range 3 {
		w.deleteConsumer(t, "ASSAY_WORK_TEXTFILE")
		w.until(t, above(float64(times), "assay_consumer_recreated_total{", `cause="missing"`))
	}
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func rejectedKey(t *testing.T, want []string) {
	gemini := geminitest.Start(t)
	gemini.Accept("another key")
	w := watch(t, "ASSAY_GEMINI_KEY="+geminitest.Key, "ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8")
	w.setProvider(t, "gemini", system.Settings{"enabled": true, "baseUrl": gemini.URL, "analyzeModel": geminitest.AnalyzeModel, "editModel": geminitest.EditModel})
	if _, err := w.api.UploadPhoto(system.Within(t), system.PhotoSource("a photo.jpg", "a red boat", system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"}); err != nil {
		t.Fatal(err)
	}
	w.until(t, above(0, "assay_photo_provider_held{", `provider="gemini"`, `reason="suspended"`))
	w.until(t, above(0, "assay_backlog_items{", `area="photojob"`))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func lostMessages(t *testing.T, want []string) {
	w := watch(t)
	w.analyzer.Kill(t)
	item := system.NewPosting("The book was good.", "a")
	w.PostItem(t, item)
	if err := w.JetStream(t).DeleteStream(system.Within(t), "ASSAY_WORK_FEED"); err != nil {
		t.Fatal(err)
	}
	w.SetUp(t)
	w.analyzer = w.Service(t, "analyzer")
	w.until(t, above(0, "assay_sweep_items_total{", `found="lost_message"`))
	w.Analyzed(t, item.SourceID)
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func orphans(t *testing.T, want []string) {
	w := watch(t, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	for range 20 {
		w.PutObject(t, w.Bucket, blob.Key("files/", uuid.NewString()+"/4-0123456789abcdef0123456789abcdef"), []byte("text"))
	}
	w.until(t, above(0, "assay_sweep_stops{", `area="textfile"`))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

// droppedChanges lets a change stream respond, once, that its iterators have expired, and then that it has dropped the
// changes after the last projected one, as it does after a day.
func droppedChanges(t *testing.T, want []string) {
	w := watch(t)
	through := system.Forward(t, w.DynamoDB)
	var drops atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		refused := ""
		switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); {
		case operation == "GetRecords" && drops.Load():
			refused = "ExpiredIteratorException"
		case operation == "GetShardIterator" && drops.CompareAndSwap(true, false):
			refused = "TrimmedDataAccessException"
		default:
			through.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/x-amz-json-1.0")
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(rw, `{"__type":"com.amazonaws.dynamodb.v20120810#`+refused+`","message":"a test refuses this"}`)
	}))
	t.Cleanup(proxy.Close)
	w.query.Kill(t)
	w.query = w.Service(t, "query", "ASSAY_DYNAMODB_ENDPOINT="+proxy.URL)
	w.Front(t, w.ingest, w.query, w.analyzer)
	w.PostItem(t, system.NewPosting("The book was good.", "dropped"))
	w.AwaitItems(t, "dropped", 1) // so that there is a last projected change
	w.again(t)
	drops.Store(true)
	w.until(t, above(0, "assay_projection_gaps_total{"))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func unreadableItem(t *testing.T, want []string) {
	w := watch(t)
	if _, err := w.Tables().PutItem(system.Within(t), &dynamodb.PutItemInput{TableName: aws.String("sentiment-items-primary"), Item: system.Item{
		"source_id": &types.AttributeValueMemberS{Value: "reddit#bad"}, "ingested_at": &types.AttributeValueMemberS{Value: "today"},
	}}); err != nil {
		t.Fatal(err)
	}
	w.until(t, above(0, "assay_projection_poison_total{"))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func failingEndpoint(t *testing.T, want []string) {
	w := watch(t)
	endpoint := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(endpoint.Close)
	header := map[string]string{"X-Owner-Id": "ann", "Content-Type": "application/json"}
	if resp, body := w.Ask(t, http.MethodPost, "/v1/webhooks", header, `{"url":"`+endpoint.URL+`"}`); resp.StatusCode != http.StatusCreated {
		t.Fatalf("register: %s %s, want 201", resp.Status, body)
	}
	w.api = w.Client(t, "ann")
	w.ended(t, w.upload(t, 3), client.Completed)
	w.until(t, above(0, "assay_webhook_attempts_total{", `status="pending"`))
	w.record(t, settle)
	w.fires(t, longest, want...)
}

func expiringCertificate(t *testing.T, want []string) {
	w := watch(t)
	secured := w.secure(t, 48*time.Hour)
	secured.until(t, above(0, "assay_tls_certificate_expiry_timestamp_seconds{"))
	secured.record(t, settle)
	secured.fires(t, longest, want...)
}
