// Package audit records the write operations of operators in an append-only stream.
//
// Each write has two messages. The first is stored before the write begins; if that fails, the write does not begin.
// The second has the outcome and is stored before the response is sent. If the process terminates between the two, or
// the outcome cannot be stored, the write has only the first message and its outcome is unknown.
package audit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
)

// Outcomes of a write operation.
const (
	Done    = "done"    // status below 400
	Refused = "refused" // status 4xx: nothing was changed
	Failed  = "failed"  // status 5xx, or the client disconnected: something may have changed
	Unknown = "unknown" // in progress, or its outcome was not recorded
)

// Entry is a write operation in the log.
type Entry struct {
	ID         string    `json:"id" format:"uuid"`
	Time       time.Time `json:"time" doc:"start of the operation"`
	Service    string    `json:"service" doc:"service that received the request"`
	Who        string    `json:"who,omitempty" doc:"the owner id of the caller; absent for a caller without credentials"`
	Credential string    `json:"credential,omitempty" enum:"key,oidc,session" doc:"the kind of credential that proved the identity"`
	KeyID      string    `json:"keyId,omitempty" doc:"id of the API key, or of the key that started the session"`
	Address    string    `json:"address" doc:"address of the client"`
	Operation  string    `json:"operation" doc:"id of the operation in the API description" example:"set-quotas"`
	Method     string    `json:"method" example:"PUT"`
	Path       string    `json:"path" doc:"path of the request" example:"/v1/quotas/0192f7c0"`
	RequestID  string    `json:"requestId" doc:"id of the request, as in the services' logs"`
	Outcome    string    `json:"outcome" enum:"done,refused,failed,unknown" doc:"unknown while the operation is in progress, or if its process terminated before recording it"`
	Status     int       `json:"status,omitempty" doc:"status of the response; absent while unknown"`
	Millis     int64     `json:"millis,omitempty" doc:"duration of the operation"`
}

// Log is the audit log. It is safe for concurrent use.
type Log struct {
	bus *bus.Bus
	log zerolog.Logger
}

// New returns the log of a bus.
func New(b *bus.Bus, log zerolog.Logger) *Log { return &Log{b, log} }

// Kinds of messages, used as the last token of their subjects.
const (
	begun = "begun"
	ended = "ended"
)

// outcomeTime limits the publication of an outcome, which continues after the end of the request.
const outcomeTime = 5 * time.Second

// Record implements web.Audit.
func (l *Log) Record(ctx context.Context, w web.Write) (recorded func(status int), err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	credential, key := proof(w.Caller.Credential)
	e := Entry{
		ID: id.String(), Time: time.Now().UTC(), Service: l.bus.Source(), Who: w.Caller.Owner, Credential: credential, KeyID: key, Address: w.Address,
		Operation: w.Operation, Method: w.Method, Path: w.Path, RequestID: w.RequestID, Outcome: Unknown,
	}
	if err := l.publish(ctx, begun, e); err != nil {
		return nil, err
	}
	return func(status int) {
		e.Status, e.Outcome, e.Millis = status, outcome(status), time.Since(e.Time).Milliseconds()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
		defer cancel()
		if err := l.publish(ctx, ended, e); err != nil {
			log := obs.Log(ctx, l.log)
			log.Error().Err(err).Str("operation", e.Operation).Int("status", status).Msg("the outcome of a write is missing from the audit log")
		}
	}, nil
}

// proof returns the kind of the caller's credential, and the id of its API key.
func proof(c *web.Credential) (kind, key string) {
	switch {
	case c == nil:
		return "", ""
	case c.Session:
		return "session", c.ID
	}
	return c.Kind, c.ID
}

func outcome(status int) string {
	switch {
	case status < http.StatusBadRequest:
		return Done
	case status < web.StatusClientGone:
		return Refused
	}
	return Failed
}

func (l *Log) publish(ctx context.Context, kind string, e Entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	subject := bus.AuditSubjects[:len(bus.AuditSubjects)-1] + kind
	return l.bus.PublishMessage(ctx, bus.Message{Subject: subject, ID: e.ID + "/" + kind, Type: bus.AuditType, Data: data})
}

// ErrCursor means that a cursor does not belong to the log.
var ErrCursor = errors.New("audit: the cursor does not belong to this list")

// cursor is the position of the next page, newest first.
type cursor struct {
	Sequence uint64   `json:"s"` // sequence of the next message
	Shown    []string `json:"e"` // ids of writes on earlier pages whose first message is on a later page
}

// List returns up to limit writes whose last message was stored at or after since, newest first. next is the cursor of
// the next page, empty on the last. Each message costs a request to NATS. List returns ErrCursor if after is not a
// cursor of the log.
func (l *Log) List(ctx context.Context, since time.Time, limit int, after string) (entries []Entry, next string, err error) {
	stream, err := l.bus.JS.Stream(ctx, bus.StreamAudit)
	if err != nil {
		return nil, "", err
	}
	state := stream.CachedInfo().State
	at := cursor{Sequence: state.LastSeq}
	if after != "" {
		if at, err = parse(after); err != nil || at.Sequence > state.LastSeq {
			return nil, "", ErrCursor
		}
	}
	for ; at.Sequence >= max(1, state.FirstSeq) && len(entries) < limit; at.Sequence-- {
		msg, err := stream.Msg(ctx, at.Sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("audit log: %w", err)
		}
		if msg.Time.Before(since) { // the remaining messages are older
			return entries, "", nil
		}
		var e Entry
		if err := json.Unmarshal(msg.Data, &e); err != nil {
			return nil, "", fmt.Errorf("audit log: message %d: %w", at.Sequence, err)
		}
		if i := slices.Index(at.Shown, e.ID); i >= 0 {
			at.Shown = slices.Delete(at.Shown, i, i+1)
			continue
		}
		if e.Outcome != Unknown {
			at.Shown = append(at.Shown, e.ID)
		}
		entries = append(entries, e)
	}
	if at.Sequence < max(1, state.FirstSeq) {
		return entries, "", nil
	}
	text, err := json.Marshal(at)
	return entries, base64.RawURLEncoding.EncodeToString(text), err
}

func parse(text string) (cursor, error) {
	var c cursor
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	return c, err
}
