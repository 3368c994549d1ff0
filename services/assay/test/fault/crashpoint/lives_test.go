package crashpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// life is the whole life of an item, from its client's first call to its end.
type life struct {
	name string
	// roles are those at whose calls it is worth dying.
	roles   []string
	notices bool
	// leaves says that its client may go away after a first try in vain.
	leaves bool
	// live calls begin once all is prepared by hand, and lives until the item is at
	// its end.
	live func(ctx context.Context, l *living)
}

// living is a life while it is lived.
type living struct {
	*visitor
	t     *testing.T
	run   string
	begin func()
	ids   map[string]string // of files, by their keys
}

const (
	text       = "one two two"
	statistics = `{"totalWords":3,"uniqueWords":2,"avgWordLength":3,"top10Words":[{"word":"two","count":2},{"word":"one","count":1}]}`
	notText    = "%PDF-1.4\n"
)

var textRoles = []string{ingest.Name, analyzer.Name}

func lives() []life {
	return []life{
		{name: "multipart", roles: textRoles, leaves: true, live: byMultipart},
		{name: "presigned and told", roles: textRoles, leaves: true, live: toldOf},
		{name: "presigned and noticed", roles: textRoles, notices: true, live: onlyNoticed},
		{name: "no text", roles: textRoles, live: notAText},
		{name: "retry", roles: textRoles, live: failedBefore},
		{name: "delete", roles: textRoles, live: deletedLater},
		{name: "delete at once", roles: textRoles, live: deletedAtOnce},
		{name: "feed item", roles: services(), leaves: true, live: aFeedItem},
		{name: "feed item again", roles: services(), live: aFeedItemAgain},
		{name: "start of ingest", roles: []string{ingest.Name}, live: started(ingest.Name)},
		{name: "start of analyzer", roles: []string{analyzer.Name}, live: started(analyzer.Name)},
		{name: "start of query", roles: []string{query.Name}, live: started(query.Name)},
		{name: "sweep", roles: []string{sweep}, live: sweptUp},
	}
}

// id is that of the visitor's file, also once it is deleted; empty when a visitor that
// went away left none.
func (l *living) id(ctx context.Context) string {
	if id, known := l.ids[l.key]; known {
		return id
	}
	id, err := l.house.files.ByKey(ctx, textfile.KeyHash(l.owner, l.key))
	if err != nil && !(l.wentAway && errors.Is(err, lifecycle.ErrNotFound)) {
		l.t.Errorf("%s: %v", l.run, err)
	}
	if id != "" {
		l.ids[l.key] = id
	}
	return id
}

// promised keeps what the visitor was promised of a file, and waits for its end.
func (l *living) promised(ctx context.Context, p audit.Promise) {
	p.Run = l.run
	if p.ID == "" {
		if p.Area, p.ID = event.AreaTextFile, l.id(ctx); p.ID == "" {
			l.settle(ctx, p)
			return
		}
	}
	if !l.wentAway {
		p.At = time.Now()
	}
	l.house.promise(p)
	l.settle(ctx, p)
}

// settle waits for the end of a life.
func (l *living) settle(ctx context.Context, p audit.Promise) {
	final := func(ctx context.Context) error { return l.final(ctx, p) }
	if p.At.IsZero() {
		final = nil
	}
	if err := l.house.settle(ctx, final); err != nil {
		l.t.Errorf("%s: %s: %v", l.run, p.ID, err)
	}
}

func (l *living) final(ctx context.Context, p audit.Promise) error {
	if p.Area == event.AreaFeed {
		item, err := l.house.items.Get(ctx, p.ID)
		if err == nil && !item.Settled() {
			err = errors.New("it is pending")
		}
		return err
	}
	file, err := l.house.files.Get(ctx, p.ID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) && p.End == audit.Gone:
		return nil
	case err == nil && (!file.Final() || p.End == audit.Gone):
		return fmt.Errorf("it is %s", file.Status)
	}
	return err
}

// post uploads by multipart.
func (l *living) post(ctx context.Context, text string) {
	header, body := form("text/plain", text)
	l.send(ctx, request{method: http.MethodPost, path: "/v1/files", header: header, body: body, want: []int{http.StatusAccepted}})
}

func byMultipart(ctx context.Context, l *living) {
	l.begin()
	l.post(ctx, text)
	l.promised(ctx, audit.Promise{Result: statistics})
}

// started is an upload while a service starts.
func started(role string) func(context.Context, *living) {
	return func(ctx context.Context, l *living) {
		l.begin()
		l.house.restart(role)
		l.post(ctx, text)
		l.promised(ctx, audit.Promise{Result: statistics})
		if err := l.house.well(ctx); err != nil {
			l.t.Errorf("%s: %v", l.run, err)
		}
	}
}

// reserveAndPut stores the bytes under a reservation.
func (l *living) reserveAndPut(ctx context.Context) {
	var reserved struct {
		Status string
		Upload struct {
			URL     string
			Headers map[string]string
		}
	}
	_, answer := l.send(ctx, request{
		method: http.MethodPost, path: "/v1/files", header: map[string]string{"Content-Type": "application/json"},
		body: fmt.Appendf(nil, `{"fileName":"life.txt","size":%d,"contentType":"text/plain"}`, len(text)), want: []int{http.StatusCreated, http.StatusOK},
	})
	if l.wentAway {
		return
	}
	if err := json.Unmarshal(answer, &reserved); err != nil {
		l.t.Errorf("%s: %v: %s", l.run, err, answer)
		return
	}
	l.send(ctx, request{
		method: http.MethodPut, path: reserved.Upload.URL, header: reserved.Upload.Headers, body: []byte(text),
		want: []int{http.StatusOK, http.StatusPreconditionFailed},
	})
}

func toldOf(ctx context.Context, l *living) {
	l.begin()
	l.reserveAndPut(ctx)
	if !l.wentAway {
		l.send(ctx, request{method: http.MethodPost, path: "/v1/files/" + l.id(ctx) + "/uploaded", want: []int{http.StatusAccepted}})
	}
	l.promised(ctx, audit.Promise{Result: statistics})
}

func onlyNoticed(ctx context.Context, l *living) {
	l.begin()
	l.reserveAndPut(ctx)
	l.promised(ctx, audit.Promise{Result: statistics})
}

func notAText(ctx context.Context, l *living) {
	l.begin()
	l.post(ctx, notText)
	l.promised(ctx, audit.Promise{End: audit.Failed})
}

// failedBefore begins with a file that was failed by hand, so that it can succeed.
func failedBefore(ctx context.Context, l *living) {
	l.reserveAndPut(ctx)
	file, err := l.house.files.Get(ctx, l.id(ctx))
	if err == nil {
		_, err = l.house.files.Fail(ctx, file, "by hand")
	}
	if err != nil {
		l.t.Errorf("%s: %v", l.run, err)
		return
	}
	l.begin()
	status, _ := l.send(ctx, request{method: http.MethodPost, path: "/v1/files/" + l.id(ctx) + "/retry", want: []int{http.StatusAccepted, http.StatusConflict}})
	if status == http.StatusConflict {
		// An earlier try made it PENDING, and may have died before it said so.
		l.send(ctx, request{method: http.MethodPost, path: "/v1/files/" + l.id(ctx) + "/uploaded", want: []int{http.StatusAccepted}})
	}
	l.promised(ctx, audit.Promise{Result: statistics, Retried: true})
}

func deletedLater(ctx context.Context, l *living) {
	l.post(ctx, text)
	l.settle(ctx, audit.Promise{Area: event.AreaTextFile, ID: l.id(ctx), At: time.Now()})
	l.begin()
	l.delete(ctx)
}

func deletedAtOnce(ctx context.Context, l *living) {
	l.begin()
	l.post(ctx, text)
	l.delete(ctx)
}

func (l *living) delete(ctx context.Context) {
	l.send(ctx, request{method: http.MethodDelete, path: "/v1/files/" + l.id(ctx), want: []int{http.StatusNoContent}})
	l.promised(ctx, audit.Promise{End: audit.Gone})
}

// sourceID is that of the visitor's feed item.
func (l *living) sourceID() string { return "newsapi#" + l.key }

func (l *living) postItem(ctx context.Context, tags string) {
	l.send(ctx, request{
		method: http.MethodPost, path: "/v1/feed/items", header: map[string]string{"Content-Type": "application/json"},
		body: fmt.Appendf(nil, `{"sourceId":%q,"sourceType":"newsapi","text":"What a lovely day!","matchedTags":[%s]}`, l.sourceID(), tags),
		want: []int{http.StatusCreated, http.StatusOK},
	})
}

func (l *living) promisedItem(ctx context.Context) {
	l.promised(ctx, audit.Promise{Area: event.AreaFeed, ID: l.sourceID(), Result: feed.Positive})
	if l.wentAway {
		return
	}
	// Its rows are the end of its life.
	for {
		rows, err := l.house.rows(ctx, l.sourceID())
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			l.t.Errorf("%s: %d rows: %v", l.run, rows, err)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func aFeedItem(ctx context.Context, l *living) {
	l.begin()
	l.postItem(ctx, `"a"`)
	l.promisedItem(ctx)
}

// aFeedItemAgain is an item that is there and comes again with another tag.
func aFeedItemAgain(ctx context.Context, l *living) {
	l.postItem(ctx, `"a"`)
	l.settle(ctx, audit.Promise{Area: event.AreaFeed, ID: l.sourceID(), At: time.Now()})
	l.begin()
	l.postItem(ctx, `"b"`)
	l.promisedItem(ctx)
}

// sweptUp is what only a sweep can repair: an upload that nobody noticed, work whose
// message is lost, a reservation that was never used, list and file apart, bytes
// without a file, and the same of the feed.
func sweptUp(ctx context.Context, l *living) {
	h, unnoticed := l.house, l.key
	l.reserveAndPut(ctx)
	var wrong []error
	note := func(err error) { wrong = append(wrong, err) }

	l.key = uuid.Must(uuid.NewV7()).String()
	l.reserveAndPut(ctx)
	orphan := l.id(ctx)
	file, err := h.files.Get(ctx, orphan)
	note(err)
	_, err = h.files.Claim(ctx, file)
	note(err)

	unused := uuid.Must(uuid.NewV7()).String()
	terms := textfile.Reservation{FileName: "unused", Size: 1}
	_, err = h.files.Reserve(ctx, textfile.File{FileID: unused, OwnerID: l.owner, S3Key: terms.ObjectKey(unused), FileName: terms.FileName})
	note(err)
	stray := uuid.Must(uuid.NewV7()).String()
	_, err = h.system.Bucket().Put(ctx, terms.ObjectKey(stray), "text/plain", nil, strings.NewReader(text))
	note(err)

	l.key = uuid.Must(uuid.NewV7()).String()
	l.post(ctx, text)
	apart := l.id(ctx)
	l.settle(ctx, audit.Promise{Area: event.AreaTextFile, ID: apart, At: time.Now()})
	note(h.unlist(ctx, l.owner, apart))

	keep := func(s feed.Submission) {
		document, err := s.Document()
		note(err)
		_, err = h.system.Bucket().Put(ctx, feed.TextKey(s.SourceID), feed.DocumentType, nil, bytes.NewReader(document))
		note(err)
	}
	item := feed.Submission{SourceID: "newsapi#" + unused, SourceType: "newsapi", Text: "What a lovely day!", MatchedTags: []string{"a"}}.Stamped(time.Now())
	keep(item)
	_, _, err = h.items.Create(ctx, item.Item(time.Now()))
	note(err)
	strayText := item
	strayText.SourceID = "newsapi#" + stray
	keep(strayText)
	if err := errors.Join(wrong...); err != nil {
		l.t.Errorf("%s: %v", l.run, err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(expires): // of the oldest; the others' age is that of the next sweep
	}
	l.begin()
	h.sweep(ctx, l.t)
	l.key = unnoticed
	l.promised(ctx, audit.Promise{Result: statistics})
	l.promised(ctx, audit.Promise{Area: event.AreaTextFile, ID: orphan, Result: statistics})
	l.promised(ctx, audit.Promise{Area: event.AreaTextFile, ID: apart, Result: statistics})
	l.promised(ctx, audit.Promise{Area: event.AreaFeed, ID: item.SourceID, Result: feed.Positive})
	for _, gone := range []string{unused, stray} {
		h.promise(audit.Promise{Run: l.run, Area: event.AreaTextFile, ID: gone, End: audit.Gone})
	}
	h.promise(audit.Promise{Run: l.run, Area: event.AreaFeed, ID: strayText.SourceID, End: audit.Gone})
}
