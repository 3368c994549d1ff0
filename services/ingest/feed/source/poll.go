package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/ingest/feed/check"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

// report is the result of a poll.
type report struct {
	requests   int // number of requests that were made
	counted    int // number of requests that count toward the quota
	taken      Taken
	unchanged  bool
	validators syndication.Validators
	watched    map[string]Watched
	location   string // for rss, where the feed is if not at the URL of the settings
	damaged    bool   // only a part of the document was read
	err        error
}

// hold returns the pause that the server requested, or defaultHold if it specified none.
func (r report) hold() time.Duration {
	throttled, ok := errors.AsType[*fetch.Throttled](r.err)
	if !ok || throttled.After == 0 {
		return defaultHold
	}
	return throttled.After
}

// Outcomes of polls.
const (
	outcomeOK           = "ok"
	outcomeUnchanged    = "unchanged"
	outcomeQuota        = "quota"        // no request was made
	outcomeNoKey        = "no-key"       // no request was made
	outcomeUnauthorized = "unauthorized" // polls stop until the settings are changed
	outcomeGone         = "gone"         // polls stop until the settings are changed
	outcomeThrottled    = "throttled"
	outcomeRefused      = "refused" // rejected by the guard
	outcomeMalformed    = "malformed"
	outcomeFailed       = "failed" // any other error, such as a 5xx status or a timeout
	outcomeEngine       = "engine" // an internal backend failed, or is full
	outcomeInterrupted  = "interrupted"
)

func outcomes() []string {
	return []string{
		outcomeOK, outcomeUnchanged, outcomeQuota, outcomeNoKey, outcomeUnauthorized, outcomeGone, outcomeThrottled, outcomeRefused, outcomeMalformed,
		outcomeFailed, outcomeEngine, outcomeInterrupted,
	}
}

const (
	errNoKey       = reason.FeedKeyMissing
	errInterrupted = reason.FeedInterrupted
)

// engineError is an error of Assay's own backends.
type engineError struct{ error }

func (e engineError) Unwrap() error { return e.error }

// outcome returns the outcome of the poll. ours means that Assay, not the source, is the cause.
func (r report) outcome() (name string, ours bool) {
	err := r.err
	_, engine := errors.AsType[engineError](err)
	_, throttled := errors.AsType[*fetch.Throttled](err)
	switch {
	case err == nil && r.unchanged:
		return outcomeUnchanged, false
	case err == nil:
		return outcomeOK, false
	case errors.Is(err, errInterrupted):
		return outcomeInterrupted, true
	case engine:
		return outcomeEngine, true
	case errors.Is(err, errNoKey):
		return outcomeNoKey, true
	case errors.Is(err, fetch.ErrUnauthorized):
		return outcomeUnauthorized, false
	case errors.Is(err, fetch.ErrGone):
		return outcomeGone, false
	case throttled:
		return outcomeThrottled, false
	case errors.Is(err, guard.ErrBlocked):
		return outcomeRefused, false
	case errors.Is(err, fetch.ErrMalformed), errors.Is(err, fetch.ErrTooLarge):
		return outcomeMalformed, false
	}
	return outcomeFailed, false
}

// detail returns the reason of a failed poll for display. The log has the error itself.
func (r report) detail() string {
	outcome, _ := r.outcome()
	timeout, slow := errors.AsType[net.Error](r.err)
	known := reason.FeedUnreachable
	switch {
	case outcome == outcomeEngine:
		known = reason.FeedStore
	case reason.Stated(r.err):
		return reason.Of(r.err)
	case slow && timeout.Timeout():
		known = reason.FeedSlow
	}
	return known.Error()
}

// poll queries the source with at most the claimed number of requests, and accepts the items. If it
// fails, the report still includes the items accepted so far. A panic, for example in a parser of server
// data, ends the poll but not the process.
func (p *Poller) poll(ctx context.Context, c claimed) (r report) {
	defer func() {
		if cause := recover(); cause != nil {
			p.Log.Error().Str("source", c.Name).Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("a poll panicked")
			r = report{requests: c.requests, counted: c.requests, err: fmt.Errorf("%w: %v", reason.FeedCrashed, cause)}
		}
	}()
	if c.Settings.Kind == KindNewsAPI {
		return p.pollNewsAPI(ctx, c)
	}
	return p.pollRSS(ctx, c)
}

// take accepts items of a source and adds their outcomes to the report.
func (p *Poller) take(ctx context.Context, name string, r *report, items []feed.Submission) error {
	taken, err := p.Take(ctx, name, items)
	r.taken.add(taken)
	if err != nil {
		return engineError{err}
	}
	return nil
}

const maxMetadata = 2000 // maximum length in characters of a text in an item's metadata

// found is an entry of a source before its conversion to an item.
type found struct {
	id                 string // identity of the entry in all sources that contain it
	kind               string
	title, summary     string // may contain HTML
	link               string
	author, sourceName string
	published          time.Time
	tags               []string
}

// item returns the submission for an entry of a source that was added at a time. ok is false if the entry has no text. The
// time of the item is its arrival, now; the metadata contains the publication time.
func (f found) item(added, now time.Time) (s feed.Submission, ok bool) {
	title := plain(f.title)
	text := joined(title, plain(f.summary))
	if text == "" {
		return feed.Submission{}, false
	}
	metadata := map[string]any{}
	for name, value := range map[string]string{"author": plain(f.author), "title": title, "source_name": plain(f.sourceName)} {
		if value != "" {
			metadata[name] = cut(value, maxMetadata)
		}
	}
	if published := f.published.UTC().Format(time.RFC3339); f.published.After(now.Add(feed.ClockSkew)) {
		metadata[feed.MetaFutureDate] = published
	} else if !f.published.IsZero() {
		metadata[feed.MetaPublishedAt] = published
		if f.published.Before(added) {
			metadata[feed.MetaArchive] = true
		}
	}
	s = feed.Submission{
		SourceID: sourceID(f.kind, f.id), SourceType: f.kind, Text: cut(text, feed.MaxText),
		MatchedTags: f.tags[:min(len(f.tags), feed.MaxTags)], Metadata: metadata,
	}
	if link := strings.ReplaceAll(strings.TrimSpace(f.link), " ", "%20"); check.URL(link) == "" {
		s.SourceURL = link
	}
	return s, true
}

// sourceID returns an id in the format that the seed requires, because the identity of an item at
// its source can contain any characters and have any length. 128 bits make collisions improbable.
func sourceID(kind, id string) string {
	sum := sha256.Sum256([]byte(id))
	return kind + "#" + hex.EncodeToString(sum[:16])
}
