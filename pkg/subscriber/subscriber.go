// Package subscriber handles the outcomes of analyses, and the changes of libraries, in programs outside
// Assay. It resumes at its position after a restart, retries failures, and calls the handler once per
// event.
//
// # What "once" means
//
// A dedupe marker of the event id is stored after the handler returned nil and before
// the message is acknowledged. An event with a marker is not handled again: not after
// a lost acknowledgement, when the same event is published or stored again, after a
// restart, or by another process of the same Name. Markers are retained as long as the
// stream retains outcomes, 7 days by default.
//
// No library can rule out two cases. If the process crashes, or NATS cannot be
// reached, between the handler's return and the marker, the handler is called
// again for the same event. And if a process stalls for longer than the lease
// while it has an event in progress, another process of the same Name may handle
// that event at the same time. So a handler whose effect must not happen twice
// uses Outcome.ID as the key of that effect: the primary key of a row, the
// idempotency key of a payment, the Message-ID of a mail.
package subscriber

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
)

// Config selects the outcomes and configures how they are handled. URL and Name are required.
type Config struct {
	URL         string // of the NATS server, such as nats://127.0.0.1:4222
	Credentials string // a NATS credentials file; empty for none

	// Name is the durable name, of letters, digits, - and _. Processes with the same Name share the
	// outcomes; each Name gets all of them. Dead letters are published under assay.dead.<Name>.
	Name string
	// Area is the product area, such as "textfile"; empty for all.
	Area string
	// OnlyNew makes a new Name start with future outcomes instead of all those in the stream. An
	// existing Name continues where it stopped.
	OnlyNew bool

	Parallel int           // concurrent handlers in this process; default 1
	Attempts int           // calls for one outcome, including those interrupted by the end of Run, before it becomes a dead letter; default 12
	Lease    time.Duration // time without a renewal after which another process gets the outcome; default 30 s, renewed while the handler runs
	Drain    time.Duration // how long handlers may continue after Run's context has ended; default 10 s
	// Backoff is the pause after the given failed attempt. The default doubles
	// from 1 s up to 5 min.
	Backoff func(attempt int) time.Duration
	// Log gets one line for each attempt. The zero value drops them.
	Log zerolog.Logger
}

// Outcome is the end of one item's analysis. Exactly one of Completed and Failed is set.
type Outcome struct {
	ID    string // id of the event; repeats of the same fact have the same id
	Area  string
	Item  string // the item's id: for textfile the file's
	Owner string
	At    time.Time // when the item reached this state

	Completed *event.AnalysisCompleted
	Failed    *event.AnalysisFailed
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (c Config) validate() error {
	switch {
	case c.URL == "":
		return errors.New("subscriber: the URL of the NATS server is missing")
	case !validName.MatchString(c.Name):
		return fmt.Errorf("subscriber: the name %q is not 1 to 64 letters, digits, - and _", c.Name)
	case c.Area != "" && !validName.MatchString(c.Area):
		return fmt.Errorf("subscriber: unknown area %q", c.Area)
	}
	return nil
}

// NodeChange is a change of a node of a library.
type NodeChange struct {
	ID      string // of the event; the same when the same change is published again
	Changed *event.NodeChanged
}

// The stream of changes of nodes.
const (
	nodeStream   = "ASSAY_LIBRARY_NODES"
	nodeSubjects = "assay.library.node.>"
)

// Run calls handle for each outcome until ctx is done, lets handlers finish for cfg.Drain, and returns
// nil. It returns an error when the settings are invalid, NATS does not respond at the start, or
// Assay has never run there.
//
// handle returns nil when its effect is durable, bus.Permanent when no further attempt can succeed,
// and any other error to be called again after a pause. Outcomes may arrive in a different order
// than they occurred. The context of handle carries the request id of the upload (obs.TraceFrom).
func Run(ctx context.Context, cfg Config, handle func(context.Context, Outcome) error) error {
	area := cfg.Area
	if area == "" {
		area = "*"
	}
	return run(ctx, cfg, bus.StreamOutcomes, event.OutcomesOf(area, "*"), &subscription[Outcome]{read: readOutcome, handle: handle})
}

// RunNodes is Run for the changes of the nodes of all libraries; cfg.Area is empty or library. The changes of
// one node may arrive in a different order than they occurred: ignore a change with an older Version than the
// last one. Its Name must differ from that of Run.
func RunNodes(ctx context.Context, cfg Config, handle func(context.Context, NodeChange) error) error {
	if cfg.Area != "" && cfg.Area != "library" {
		return fmt.Errorf("subscriber: the area %q has no nodes", cfg.Area)
	}
	return run(ctx, cfg, nodeStream, nodeSubjects, &subscription[NodeChange]{read: readChange, handle: handle})
}

func run[T any](ctx context.Context, cfg Config, stream, subjects string, s *subscription[T]) error {
	if err := cfg.validate(); err != nil {
		return err
	}
	events, err := bus.Join(bus.Config{URL: cfg.URL, Credentials: cfg.Credentials}, cfg.Name, cfg.Log, nil)
	if err != nil {
		return err
	}
	defer events.Close()
	done, err := openMarkers(ctx, events, cfg.Name, stream)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	s.done, s.log, s.inProgress = done, cfg.Log, map[string]chan struct{}{}
	return consume.New(events, cfg.Log, nil).Run(ctx, bus.Consumer{
		Name: cfg.Name, Area: cfg.Area, Stream: stream, Filter: subjects,
		OnlyNew: cfg.OnlyNew, Parallel: cfg.Parallel, Attempts: cfg.Attempts,
		Lease: cfg.Lease, Drain: cfg.Drain, Backoff: cfg.Backoff,
		Handle: s.deliver,
	})
}
