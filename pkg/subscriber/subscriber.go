// Package subscriber handles the outcomes of analyses, and the changes of libraries, in programs outside
// Assay. It resumes at its position after a restart, retries failures, and calls the handler once per
// event.
//
// # What "once" means
//
// A dedupe marker of the event id is stored after the handler has returned nil and
// before the message is acknowledged. An event with a marker is not handled again,
// even after a lost acknowledgement or a restart, if the same event is published or
// stored again, or in another process with the same Name. Markers are retained as long
// as the stream retains its events, 7 days by default.
//
// No library can rule out two cases. If the process crashes or loses its connection
// to NATS after the handler has returned and before the marker is stored, the handler
// is called again for the same event. If a process stalls for longer than the lease
// while an event is in progress, another process with the same Name can handle that
// event at the same time. Therefore, a handler whose effect must not happen twice
// should use Outcome.ID as the key of that effect: the primary key of a row, the
// idempotency key of a payment, or the Message-ID of an email.
package subscriber

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/event"
)

// Config selects the outcomes and configures how they are handled. URL and Name are required.
type Config struct {
	// URL of the NATS server, such as nats://127.0.0.1:4222, or several separated by commas. It may
	// contain a user and password, or a token.
	URL         string
	Credentials string // a NATS credentials file; empty for none
	NKey        string // a file with the seed of an NKey; empty for none
	// TLS makes TLS mandatory. It contains the certificate authorities of the server, and the client's
	// certificate if the server requires one. Without it, a URL with the scheme tls or a server that
	// requires TLS selects the certificate authorities of the system.
	TLS *tls.Config

	// Name is the durable name. It consists of letters, digits, - and _. Processes with the same Name
	// share the outcomes; each Name receives all outcomes. Dead letters are published under
	// assay.dead.<Name>.
	Name string
	// Area is the product area, such as "textfile"; empty for all.
	Area string
	// OnlyNew makes a new Name start with the next outcome instead of the first one in the stream. An
	// existing Name continues where it stopped.
	OnlyNew bool

	Parallel int           // maximum number of concurrent handlers in this process; default 1
	Attempts int           // maximum number of calls for one outcome, including those interrupted by the end of Run; after the last one, the outcome becomes a dead letter; default 12
	Lease    time.Duration // time after which an outcome is redelivered; renewed while the handler runs; default 30 s
	Drain    time.Duration // how long handlers may continue after Run's context is done; default 10 s
	// Backoff returns the pause after the given failed attempt. The default pause
	// doubles from 1 s up to 5 min.
	Backoff func(attempt int) time.Duration
	// Log receives one line for each attempt. The zero value discards them.
	Log zerolog.Logger
}

// Outcome is the outcome of one item's analysis. Exactly one of Completed and Failed is set.
type Outcome struct {
	ID    string // id of the event; an event that is published again has the same id
	Area  string
	Item  string // id of the item, such as the id of a file in the area textfile
	Owner string
	At    time.Time   // when the item reached this state
	Trace event.Trace // of the upload

	Completed *event.AnalysisCompleted
	Failed    *event.AnalysisFailed
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (c Config) validate() error {
	switch {
	case c.URL == "":
		return errors.New("subscriber: the URL of the NATS server is missing")
	case !validName.MatchString(c.Name):
		return fmt.Errorf("subscriber: the name %q must consist of 1 to 64 letters, digits, - and _", c.Name)
	case c.Area != "" && !validName.MatchString(c.Area):
		return fmt.Errorf("subscriber: invalid area %q", c.Area)
	case c.Credentials != "" && c.NKey != "":
		return errors.New("subscriber: a credentials file and an NKey exclude each other")
	}
	return nil
}

// NodeChange is a change of a node of a library.
type NodeChange struct {
	ID      string      // id of the event; a change that is published again has the same id
	Trace   event.Trace // of the request that changed the node
	Changed *event.NodeChanged
}

// The streams of outcomes and of node changes, and the subjects of the latter.
const (
	outcomeStream = "ASSAY_OUTCOMES"
	nodeStream    = "ASSAY_LIBRARY_NODES"
	nodeSubjects  = "assay.library.node.>"
)

// Run calls handle for each outcome until ctx is done, gives handlers up to cfg.Drain to finish, and
// returns nil. It returns an error if the settings are invalid, if NATS does not respond at the start
// or denies a required permission, or if Assay has never run with this NATS server.
//
// handle returns nil when its effect is durable, Permanent when no further attempt can succeed, and
// any other error to be called again after a pause. An outcome whose handler panics has at most 3
// attempts. Outcomes can arrive in a different order than they occurred in.
func Run(ctx context.Context, cfg Config, handle func(context.Context, Outcome) error) error {
	area := cfg.Area
	if area == "" {
		area = "*"
	}
	return run(ctx, cfg, outcomeStream, event.OutcomesOf(area, "*"), func(d delivery) (func(context.Context) error, error) {
		o, known, err := readOutcome(d)
		if !known || err != nil {
			return nil, err
		}
		return func(ctx context.Context) error { return handle(ctx, o) }, nil
	})
}

// RunNodes is like Run, for the changes of nodes in all libraries. cfg.Area must be empty or library, and cfg.Name must
// not be used with Run. The changes of one node can arrive in a different order than they occurred in, so handle should
// ignore a change whose Version is lower than the last one.
func RunNodes(ctx context.Context, cfg Config, handle func(context.Context, NodeChange) error) error {
	if cfg.Area != "" && cfg.Area != "library" {
		return fmt.Errorf("subscriber: the area %q has no nodes", cfg.Area)
	}
	return run(ctx, cfg, nodeStream, nodeSubjects, func(d delivery) (func(context.Context) error, error) {
		c, known, err := readChange(d)
		if !known || err != nil {
			return nil, err
		}
		return func(ctx context.Context) error { return handle(ctx, c) }, nil
	})
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// Permanent marks err as permanent: no further attempt can succeed, so the event becomes a dead
// letter immediately.
func Permanent(err error) error { return &permanentError{err} }

// readOutcome decodes an outcome. known is false for kinds added by later versions.
func readOutcome(d delivery) (o Outcome, known bool, err error) {
	o = Outcome{ID: d.ID, Item: d.Item, Owner: d.Owner, At: d.Time, Trace: d.trace}
	switch d.Type {
	case "assay.v1.AnalysisCompleted":
		o.Completed = &event.AnalysisCompleted{}
		err = event.Unmarshal(d.data, o.Completed)
		o.Area = o.Completed.Area
	case "assay.v1.AnalysisFailed":
		o.Failed = &event.AnalysisFailed{}
		err = event.Unmarshal(d.data, o.Failed)
		o.Area = o.Failed.Area
	default:
		return Outcome{}, false, nil
	}
	return o, true, err
}

// readChange decodes a change of a node. known is false for events of other types.
func readChange(d delivery) (c NodeChange, known bool, err error) {
	if d.Type != "assay.v1.NodeChanged" {
		return NodeChange{}, false, nil
	}
	c = NodeChange{ID: d.ID, Trace: d.trace, Changed: &event.NodeChanged{}}
	return c, true, event.Unmarshal(d.data, c.Changed)
}
