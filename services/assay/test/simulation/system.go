// Package simulation predicts how many uploads Assay processes, in virtual time (testing/synctest).
//
// The code of admission (pkg/fair, bus.Admit, services/ingest/admission), of publishing, of consuming
// (pkg/bus/consume) and of the handler of work (services/analyzer/work) is that of the product. What it talks to is
// modelled: the NATS cluster (cluster.go, stream.go, durable.go), DynamoDB and S3, disks and processors (resources.go).
// The parts of ingest and of the analyzer between these are modelled by their calls and their CPU time (system.go).
// docs/capacity.md contains the results.
package simulation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer/work"
	"github.com/assay-project/assay/services/ingest/admission"
)

// Model specifies a system.
type Model struct {
	Ingests, Analyzers int           // processes
	Shared             bool          // all processes and the clients use the processors of one node
	Processors         int           // of each node
	Accept, Process    time.Duration // CPU time of ingest and of the analyzer, per file
	Client             time.Duration // CPU time of the client per file, if it shares the node
	Sync               time.Duration // of a disk, for embedded engines; 0 for none

	Leader      Leader
	Transaction time.Duration // latency of DynamoDB
	Put, Get    time.Duration // latencies of S3
	TableUnits  float64       // limit of write units per second of a table; 0 for none
	Partition   float64       // limit of write units per second of a partition; 0 for none
	Prefixes    int           // partitions of the bucket, each with the limits of S3; 0 for no limits

	Parallel    int // ASSAY_ANALYZER_PARALLEL
	Streamed    int // ASSAY_STREAMED_UPLOADS
	MaxMessages int64
	MaxPerOwner int64
}

// Limits of S3 per partition of a bucket and second.
const (
	mostPuts = 3500
	mostGets = 5500
)

// simulated is a running system.
type simulated struct {
	model   Model
	cluster *cluster
	tables  *database
	objects *bucket
	ingests []*ingest
	nodes   []*processors // of the analyzers

	mu    sync.Mutex
	ended map[string]chan struct{} // by file

	stop    context.CancelFunc
	running sync.WaitGroup
	failed  []error
}

// ingest is a process of ingest.
type ingest struct {
	bus   *bus.Bus
	node  *processors
	slots chan struct{}
}

func perSecond(rate float64) *limit {
	if rate == 0 {
		return nil
	}
	return &limit{each: time.Duration(float64(time.Second) / rate)}
}

// begin starts a system. The caller calls end.
func begin(m Model) (*simulated, error) {
	s := &simulated{model: m, ended: map[string]chan struct{}{}}
	s.cluster = newCluster(m.Leader, s.outcome)
	s.tables = &database{Latency: m.Transaction, disk: disk{sync: m.Sync}, table: perSecond(m.TableUnits), partitions: map[string]*limit{}}
	if m.Partition > 0 {
		s.tables.partition = time.Duration(float64(time.Second) / m.Partition)
	}
	s.objects = &bucket{
		Put: m.Put, Get: m.Get, disk: disk{sync: m.Sync},
		puts: perSecond(float64(m.Prefixes) * mostPuts), gets: perSecond(float64(m.Prefixes) * mostGets),
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	only := newProcessors(m.Processors)
	node := func() *processors {
		if m.Shared {
			return only
		}
		return newProcessors(m.Processors)
	}
	for range m.Ingests {
		b, err := s.connect(ctx, "ingest")
		if err != nil {
			return s, err
		}
		s.ingests = append(s.ingests, &ingest{bus: b, node: node(), slots: make(chan struct{}, m.Streamed)})
	}
	for range m.Analyzers {
		b, err := s.connect(ctx, "analyzer")
		if err != nil {
			return s, err
		}
		at := node()
		s.nodes = append(s.nodes, at)
		worker := work.New(work.Config{Parallel: m.Parallel, Lease: 30 * time.Second, Attempts: 12, Drain: 10 * time.Second, Time: time.Minute}, b, prometheus.NewRegistry(), textfile.Name)
		consumer := work.Consumer(worker, bus.Consumer{Name: textfile.Consumer, Area: textfile.Name, Stream: textfile.WorkStream}, files{s, at})
		runner := consume.New(b, zerolog.Nop(), prometheus.NewRegistry())
		s.running.Go(func() {
			if err := runner.Run(ctx, consumer); err != nil {
				s.fail(err)
			}
		})
	}
	return s, nil
}

// connect connects a process to the server, until end.
func (s *simulated) connect(ctx context.Context, source string) (*bus.Bus, error) {
	b, err := bus.Connect(ctx, bus.Config{
		URL: "nats://model", Replicas: 1, AllowUnsynced: true, InProcess: s.cluster,
		WorkMaxMessages: s.model.MaxMessages, WorkMaxPerOwner: s.model.MaxPerOwner, OutcomesMaxAge: 7 * 24 * time.Hour,
		Work: []bus.Work{textfile.Work()},
	}, source, zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		return nil, fmt.Errorf("connect %s: %w", source, err)
	}
	context.AfterFunc(ctx, func() { s.running.Go(b.Close) })
	return b, nil
}

// end stops the system, and returns the errors of its programs and of the model.
func (s *simulated) end() error {
	s.stop()
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(append(s.failed, s.cluster.failed)...)
}

func (s *simulated) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = append(s.failed, err)
}

// outcome is called when the outcome of a file is stored.
func (s *simulated) outcome(subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := subject[strings.LastIndexByte(subject, '.')+1:]
	if end := s.ended[id]; end != nil {
		close(end)
		delete(s.ended, id)
	}
}

// upload sends a file to a process of ingest, and returns the status of the response, and a channel that is closed when
// its outcome is stored.
func (s *simulated) upload(ctx context.Context, to *ingest, owner, id string) (status int, ended <-chan struct{}) {
	end := make(chan struct{})
	s.mu.Lock()
	s.ended[id] = end
	s.mu.Unlock()
	err := s.accept(ctx, to, owner, id)
	if err == nil {
		return http.StatusAccepted, end
	}
	s.mu.Lock()
	delete(s.ended, id)
	s.mu.Unlock()
	if problem, ok := errors.AsType[*web.Problem](admission.Problem(err)); ok {
		return problem.Status, nil
	}
	return http.StatusServiceUnavailable, nil
}

// Calls of a form until its response: the object, the reservation, the event. Their units are those that the items of
// package capacity have in sum.
const (
	acceptCalls  = 3
	processCalls = 4 // claim, read, completion, outcome
	itemUnits    = 2 // a transactional write of up to 1 KB
)

// slotWait is how long ingest lets a form wait for a slot.
const slotWait = 15 * time.Second

// accept does what ingest does for a form.
func (s *simulated) accept(ctx context.Context, to *ingest, owner, id string) error {
	if err := to.bus.Admit(ctx, textfile.WorkStream, owner); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, slotWait)
	defer cancel()
	select {
	case to.slots <- struct{}{}:
		defer func() { <-to.slots }()
	case <-waiting.Done():
		return waiting.Err()
	}
	step := s.model.Accept / acceptCalls
	for _, call := range []func() error{
		func() error { return s.tables.transact(ctx, owner, itemUnits, itemUnits) },
		func() error { return s.objects.put(ctx) },
		func() error {
			now := timestamppb.Now()
			return to.bus.Publish(ctx, textfile.NewUploaded(&event.FileUploaded{
				FileId: id, OwnerId: owner, FileName: "small.txt", Bucket: "assay-files", Key: "files/00/" + id + "/streamed", Etag: "etag", Size: 4096,
				ContentType: "text/plain", UploadedAt: now, PendingSince: now,
			}))
		},
	} {
		if err := to.node.use(ctx, step); err != nil {
			return err
		}
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// file is a claimed file.
type file struct{ id, owner string }

// files is the area of package work: what the analyzer does with a file.
type files struct {
	s    *simulated
	node *processors
}

// call uses a share of the CPU time of a file, and then makes a call.
func (f files) call(ctx context.Context, call func() error) error {
	if err := f.node.use(ctx, f.s.model.Process/processCalls); err != nil {
		return err
	}
	return call()
}

// Get returns a file.
func (f files) Get(_ context.Context, id string) (file, error) { return file{id: id}, nil }

// Claim writes the claim.
func (f files) Claim(ctx context.Context, d *bus.Delivery) (file, error) {
	claimed := file{d.Item, d.Owner}
	return claimed, f.call(ctx, func() error { return f.s.tables.transact(ctx, d.Owner, itemUnits, itemUnits) })
}

// Process reads the object.
func (f files) Process(ctx context.Context, _ *bus.Delivery, _ file) (struct{}, error) {
	return struct{}{}, f.call(ctx, func() error { return f.s.objects.get(ctx) })
}

// Finish writes the result, with which the item of the file exceeds 1 KB.
func (f files) Finish(ctx context.Context, item file, _ struct{}) (file, error) {
	return item, f.call(ctx, func() error { return f.s.tables.transact(ctx, item.owner, 2*itemUnits, itemUnits) })
}

// Fail does nothing: no simulated file fails.
func (f files) Fail(_ context.Context, item file, failure work.Failure) (file, error) {
	f.s.fail(fmt.Errorf("%s failed: %w", item.id, failure.Cause))
	return item, nil
}

// Ended returns false: each file is claimed once.
func (f files) Ended(file) (bool, string) { return false, "" }

// Creation returns "": no file is created again.
func (f files) Creation(file) string { return "" }

// Outcome returns the event. The CPU time before it is that of the fourth call.
func (f files) Outcome(item file) (event.Event, error) {
	err := f.node.use(context.Background(), f.s.model.Process/processCalls)
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: textfile.Name, Id: item.id, OwnerId: item.owner, Name: "small.txt", CompletedAt: timestamppb.Now(),
		Result: &event.AnalysisCompleted_TextStatistics{TextStatistics: &event.TextStatistics{TotalWords: 600, UniqueWords: 300, AvgWordLength: 5}},
	}), err
}
