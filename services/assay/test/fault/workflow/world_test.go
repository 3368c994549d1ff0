// Package workflow interrupts the workflows of the library at every call of their worker, by crashes, lost messages
// and erasures, and checks that each workflow ends once and leaves nothing behind. The possible remains of a crash,
// and the tests of their recovery:
//
//	crash after                                remains                          test
//	the reservation                            Loading, no bytes                TestSweep (unused)
//	the bytes, before they are reported        Loading, with its object         TestSweep (unreported)
//	the start, before the messages of steps    Loaded, all steps open           TestKilledAtEveryCall, TestLostMessages
//	the objects of a step, before its end      objects of the run               TestKilledAtEveryCall (a picture)
//	the end of a step, before its ack          a message of an ended step       TestKilledAtEveryCall
//	the last step, before the file's end       no step open, Processing         TestKilledAtEveryCall, TestLostMessages
//	the end of the file, before its outcome    Processed, no outcome            TestKilledAtEveryCall, TestLostMessages
//	part of an erasure                         a hidden row, objects            TestKilledAtEveryCall (an erasure), TestErasureOfLargeFolderIsResumed
//	the loss of all streams                    the tables                       TestLostMessages, TestOverdueStep
//	a write of one of two tables               rows that differ                 TestSweepRepairsRows
//
// TestErasedAtEveryCall erases files of all types in each of their steps.
package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/upload"
	analyzed "github.com/assay-project/assay/services/analyzer/library"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

// limit is the timeout of each wait. It allows for a busy machine.
const limit = 3 * time.Minute

// world contains the embedded engines with the tables of the library, and the connections of the test.
type world struct {
	*library.Store
	t        *testing.T
	at       wire.Engines
	backends *backend.Connections
	uploads  *upload.Announcer
	js       jetstream.JetStream
	lease    time.Duration // lease duration of workers
	attempts int           // maximum number of attempts of workers
}

var tables = library.Config{Nodes: "nodes", Files: "files", Workflows: "workflows"}

// platformTable is the table with the usage of owners.
var platformTable = platform.Config{Table: "platform"}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, lease: lease, attempts: 12}
	nats, err := embedded.StartNATS(embedded.NATSConfig{Dir: t.TempDir(), User: "assay", Password: "secret", Sync: "1s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Close)
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(t.TempDir(), "dynamodb.db"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	closing(t, db)
	s3, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: t.TempDir(), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	closing(t, s3)
	w.at = wire.Engines{NATS: nats.URL(), DynamoDB: db.URL(), S3: s3.URL()}
	w.backends, err = backend.Open(t.Context(), settings(w.at), "test", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.backends.Close)
	if err := errors.Join(w.backends.Bucket.Ensure(t.Context()), table.EnsureAll(t.Context(), w.backends.DB, append(library.Tables(tables), platform.Storage(platformTable).Tables...))); err != nil {
		t.Fatal(err)
	}
	nc, err := natsgo.Connect(w.at.NATS, natsgo.Timeout(limit))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if w.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(limit)); err != nil {
		t.Fatal(err)
	}
	w.Store = library.NewStore(w.backends.DB, tables)
	w.uploads = upload.NewAnnouncer(w.backends.Bus, zerolog.Nop())
	return w
}

func closing(t *testing.T, engine io.Closer) {
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
}

func settings(at wire.Engines) backend.Config {
	return backend.Config{
		AWS:      backend.AWS{Region: "us-east-1", AccessKey: "key", SecretKey: "secret"},
		DynamoDB: table.Config{Endpoint: at.DynamoDB}, S3: blob.Config{Endpoint: at.S3, Bucket: "assay-files"},
		NATS: bus.Config{URL: at.NATS, Replicas: 1, AllowUnsynced: true, WorkMaxMessages: 100_000, OutcomesMaxAge: time.Hour, Work: []bus.Work{library.Work()}, Logs: []bus.Log{library.Nodes()}},
	}
}

// lease is the default lease duration of workers, short because tests kill them.
const lease = 300 * time.Millisecond

// worker is an analyzer process behind its own wire.
type worker struct {
	wire *wire.Wire
	area *analyzed.Area
	bus  *bus.Bus
	end  func() // stops the worker and waits until it has ended
}

// worker starts a worker. hook is called for its calls once it is running; it can be nil.
func (w *world) worker(hook wire.Hook) *worker { return w.process(hook, true) }

// sweeper starts a process that consumes no messages: it only sweeps.
func (w *world) sweeper() *worker { return w.process(nil, false) }

func (w *world) process(hook wire.Hook, consumes bool) *worker {
	w.t.Helper()
	var mu sync.Mutex
	started := false
	wires, err := wire.New(w.at, func(c wire.Call, m wire.Moment) bool {
		mu.Lock()
		defer mu.Unlock()
		return started && hook != nil && hook(c, m)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	reg := obs.NewRegistry()
	backends, err := backend.Open(ctx, settings(wires.Engines()), "analyzer", zerolog.Nop(), reg)
	if err != nil {
		w.t.Fatal(err)
	}
	shared := work.New(work.Config{Parallel: 4, Lease: w.lease, Attempts: w.attempts, Drain: w.lease, Time: time.Minute}, backends.Bus, reg)
	area, err := analyzed.New(analyzed.Config{Pixels: 1e8, Memory: 2 << 30, TrashKeep: time.Hour, Tables: tables}, wasmtest.Compiled(w.t), backends, shared, quota.New(quota.Config{}, platformTable, backends.DB, zerolog.Nop()), zerolog.Nop())
	if err != nil {
		w.t.Fatal(err)
	}
	runner := consume.New(backends.Bus, zerolog.Nop(), reg)
	var running sync.WaitGroup
	consumers := area.Consumers()
	if !consumes {
		consumers = nil
	}
	for _, c := range consumers {
		running.Go(func() {
			if err := runner.Run(ctx, c); err != nil && !wires.IsCut() {
				w.t.Error(err)
			}
		})
	}
	mu.Lock()
	started = true
	mu.Unlock()
	end := sync.OnceFunc(func() {
		stop()
		running.Wait()
		backends.Close()
		wires.Cut()
	})
	w.t.Cleanup(end)
	return &worker{wire: wires, area: area, bus: backends.Bus, end: end}
}

// kill disconnects a worker from the engines and stops it without waiting for its end.
func (o *worker) kill() {
	o.wire.Cut()
	go o.end()
}

// sweep sweeps once, with a lease and minimum ages of zero, and returns the ids of its findings
// by code.
func (w *world) sweep(o *worker) map[string][]string { return w.sweepSince(o, time.Time{}) }

// sweepSince is like sweep, but also republishes the outcomes since a time.
func (w *world) sweepSince(o *worker, since time.Time) map[string][]string {
	w.t.Helper()
	found := map[string][]string{}
	s := sweeper.New(sweeper.Config{Rate: 1e6}, 0, o.bus, nil, nil, zerolog.Nop(), obs.NewRegistry(), []*analyzed.Area{o.area})
	_, err := s.Once(w.t.Context(), sweeper.Options{OutcomesSince: since, Tell: func(f sweeper.Finding) {
		found[f.Found] = append(found[f.Found], f.ID)
		if f.Error != "" {
			w.t.Errorf("sweep: %+v", f)
		}
	}})
	if err != nil {
		w.t.Error(err)
	}
	return found
}

func (w *world) id() string {
	w.t.Helper()
	id, err := library.NewID("ann", "")
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// reserve reserves a file of the owner ann. An empty parent means the owner's root.
func (w *world) reserve(name, parent string, length int) library.File {
	w.t.Helper()
	return w.reserveAs("Generic", name, parent, length)
}

// reserveAs reserves a file of a type, which may be a derived one.
func (w *world) reserveAs(kind extract.Type, name, parent string, length int) library.File {
	w.t.Helper()
	id := w.id()
	r := library.NewFile{
		NewNode: library.NewNode{ID: id, Owner: "ann", ParentID: parent, Name: name},
		Type:    kind, Bucket: w.backends.Bucket.Bucket, BlobID: id, Length: int64(length),
	}
	r.Key = r.UploadKey()
	_, f, err := w.Reserve(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// upload stores the bytes of a file and reports the upload.
func (w *world) upload(f library.File, body string) {
	w.t.Helper()
	w.put(f, body)
	if err := w.uploads.Confirm(w.t.Context(), f.Upload(w.backends.Bucket)); err != nil {
		w.t.Fatal(err)
	}
}

// put stores the bytes of a file.
func (w *world) put(f library.File, body string) {
	w.t.Helper()
	if _, err := w.backends.Bucket.Put(w.t.Context(), f.Key, "", nil, strings.NewReader(body)); err != nil {
		w.t.Fatal(err)
	}
}

// add creates a file and uploads it.
func (w *world) add(name, parent, body string) library.File {
	w.t.Helper()
	f := w.reserve(name, parent, len(body))
	w.upload(f, body)
	return f
}

// until calls look until it returns nil, and fails the test if it does not.
func (w *world) until(what string, look func() error) {
	w.t.Helper()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	tick := time.NewTicker(25 * time.Millisecond) // with the race detector, look takes milliseconds
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-timeout.C:
			w.t.Fatalf("timed out waiting for %s: %v", what, err)
		}
	}
}

// ended waits until a file has its final state in the table and its outcome in the stream, and returns the file.
func (w *world) ended(id string) library.File {
	w.t.Helper()
	var f library.File
	w.until("the final state of "+id, func() (err error) {
		if f, err = w.File(w.t.Context(), id); err == nil && !f.Final() {
			err = fmt.Errorf("its state is %s", f.Status)
		}
		return err
	})
	w.until("the outcome of "+id, func() error {
		if n := w.outcomes(id); n == 0 {
			return errors.New("there is no outcome")
		}
		return nil
	})
	return f
}

// outcomes returns the number of outcomes of a file in the stream.
func (w *world) outcomes(id string) int {
	w.t.Helper()
	stream, err := w.js.Stream(w.t.Context(), bus.StreamOutcomes)
	if err != nil {
		w.t.Fatal(err)
	}
	info, err := stream.Info(w.t.Context(), jetstream.WithSubjectFilter(strings.TrimSuffix(event.OutcomeSubjects, ">")+"*."+library.Name+"."+id))
	if err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, count := range info.State.Subjects {
		n += int(count)
	}
	return n
}

// idle waits until the work stream is empty.
func (w *world) idle() {
	w.t.Helper()
	w.until("an empty work stream", func() error {
		stream, err := w.js.Stream(w.t.Context(), library.WorkStream)
		if err == nil && stream.CachedInfo().State.Msgs > 0 {
			err = fmt.Errorf("%d messages are queued", stream.CachedInfo().State.Msgs)
		}
		return err
	})
}

// erase requests the erasure of a node.
func (w *world) erase(id string) {
	w.t.Helper()
	op, err := w.Erase(w.t.Context(), id, library.Edit{By: "ann"})
	if err == nil {
		err = w.backends.Bus.Ensure(w.t.Context(), op.Erase())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// nothing returns an error if a file has a row or an object, apart from the ended operation that erased it.
func (w *world) nothing(id string) error {
	_, file := w.File(w.t.Context(), id)
	_, node := w.Get(w.t.Context(), id)
	flow, workflow := w.Workflow(w.t.Context(), id)
	if workflow == nil && flow.WorkflowType == library.EraseWorkflow && flow.Final() {
		workflow = lifecycle.ErrNotFound
	}
	for what, err := range map[string]error{"file": file, "node": node, "workflow": workflow} {
		if !errors.Is(err, lifecycle.ErrNotFound) {
			return fmt.Errorf("reading the %s returned %v, want ErrNotFound", what, err)
		}
	}
	objects, _, err := w.backends.Bucket.List(w.t.Context(), library.FilePrefix(id), "", 10)
	if err == nil && len(objects) > 0 {
		err = fmt.Errorf("%d objects exist, such as %s", len(objects), objects[0].Key)
	}
	return err
}
