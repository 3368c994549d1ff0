package crashpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// scenario is a sequence of client calls for one item, up to the item's final state.
type scenario struct {
	name string
	// roles are the services to crash at each of their calls.
	roles   []string
	notices bool // the bucket publishes notifications
	// abandons repeats the crashes of ingest with a client that gives up after its
	// first failed call.
	abandons bool
	// play prepares the system, calls begin, makes the calls, and returns once the item
	// is in its final state.
	play func(ctx context.Context, r *run)
}

// run is one run of a scenario.
type run struct {
	*client
	t     *testing.T
	title string
	begin func()
	ids   map[string]string // file ids, by idempotency key
}

const (
	text       = "one two two"
	statistics = `{"totalWords":3,"uniqueWords":2,"avgWordLength":3,"top10Words":[{"word":"two","count":2},{"word":"one","count":1}],"charset":"utf-8","charsetSource":"detected"}`
	notText    = "%PDF-1.4\n"
)

var textRoles = []string{ingest.Name, analyzer.Name}

func scenarios() []scenario {
	all := slices.Concat([]scenario{
		{name: "multipart", roles: textRoles, abandons: true, play: byMultipart},
		{name: "presigned and reported", roles: textRoles, abandons: true, play: reported},
		{name: "presigned and notified", roles: textRoles, notices: true, play: noticed},
		{name: "parts", roles: textRoles, abandons: true, play: inParts},
		{name: "delete of parts", roles: []string{ingest.Name}, play: partsDeleted},
		{name: "no text", roles: textRoles, play: notAText},
		{name: "retry", roles: textRoles, play: failedBefore},
		{name: "delete", roles: textRoles, play: deletedLater},
		{name: "delete during processing", roles: textRoles, play: deletedDuringProcessing},
		{name: "feed item", roles: services(), abandons: true, play: aFeedItem},
		{name: "feed item again", roles: services(), play: aFeedItemAgain},
		{name: "feed item of an older model", roles: services(), play: anOutdatedItem},
		{name: "start of ingest", roles: []string{ingest.Name}, play: started(ingest.Name)},
		{name: "start of analyzer", roles: []string{analyzer.Name}, play: started(analyzer.Name)},
		{name: "start of query", roles: []string{query.Name}, play: started(query.Name)},
		{name: "sweep", roles: []string{sweep}, play: sweptUp},
	}, deadScenarios(), photoScenarios(), libraryScenarios(), sendScenarios(), webhookScenarios(), ruleScenarios())
	return slices.DeleteFunc(all, func(s scenario) bool { return !strings.HasPrefix(s.name, *only) })
}

// id returns the id of the client's file, even after its deletion. It is empty if the
// client gave up before the file was created.
func (r *run) id(ctx context.Context) string {
	if id, known := r.ids[r.key]; known {
		return id
	}
	id, err := r.system.files.ByKey(ctx, textfile.KeyHash(r.owner, r.key))
	if err != nil && !(r.abandoned && errors.Is(err, lifecycle.ErrNotFound)) {
		r.t.Errorf("%s: %v", r.title, err)
	}
	if id != "" {
		r.ids[r.key] = id
	}
	return id
}

// promised records a promise to the client and waits for the final state.
func (r *run) promised(ctx context.Context, p audit.Promise) {
	p.Run = r.title
	if p.ID == "" {
		if p.Area, p.ID = textfile.Name, r.id(ctx); p.ID == "" {
			r.settle(ctx, p)
			return
		}
	}
	if !r.abandoned {
		p.At = time.Now()
	}
	r.system.promise(p)
	r.settle(ctx, p)
}

// settle waits until all messages are processed and an accepted item is in its final state.
func (r *run) settle(ctx context.Context, p audit.Promise) {
	final := func(ctx context.Context) error { return r.final(ctx, p) }
	if p.At.IsZero() {
		final = nil
	}
	if err := r.system.settle(ctx, final); err != nil {
		r.t.Errorf("%s: %s: %v", r.title, p.ID, err)
	}
}

func (r *run) final(ctx context.Context, p audit.Promise) error {
	if p.Area == photojob.Name {
		return r.finalPhoto(ctx, p)
	}
	if p.Area == library.Name {
		return r.finalNode(ctx, p)
	}
	if p.Area == feed.Name {
		item, err := r.system.items.Get(ctx, p.ID)
		if err == nil && !item.Settled() {
			err = errors.New("it is pending")
		}
		return err
	}
	file, err := r.system.files.Get(ctx, p.ID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) && p.End == audit.Gone:
		return nil
	case err == nil && (!file.Final() || p.End == audit.Gone):
		return fmt.Errorf("its state is %s", file.Status)
	}
	return err
}

// post uploads a text in a multipart form.
func (r *run) post(ctx context.Context, text string) {
	header, body := form("text/plain", text)
	r.send(ctx, request{method: http.MethodPost, path: "/v1/files", header: header, body: body, want: []int{http.StatusAccepted}})
}

func byMultipart(ctx context.Context, r *run) {
	r.begin()
	r.post(ctx, text)
	r.promised(ctx, audit.Promise{Result: statistics})
}

// started returns a scenario that uploads a text while a service starts. While query starts, it
// posts a feed item instead, which query projects: after an upload, query makes no calls that change
// something.
func started(role string) func(context.Context, *run) {
	return func(ctx context.Context, r *run) {
		r.begin()
		r.system.restart(role)
		if role == query.Name {
			r.postItem(ctx, `"a"`)
			r.promisedItem(ctx)
		} else {
			r.post(ctx, text)
			r.promised(ctx, audit.Promise{Result: statistics})
		}
		if err := r.system.ready(ctx); err != nil {
			r.t.Errorf("%s: %v", r.title, err)
		}
	}
}

// reserveAndPut reserves a file and puts its bytes into the bucket.
func (r *run) reserveAndPut(ctx context.Context) {
	var reserved struct {
		Status string
		Upload struct {
			URL     string
			Headers map[string]string
		}
	}
	_, answer := r.send(ctx, request{
		method: http.MethodPost, path: "/v1/files", header: map[string]string{"Content-Type": "application/json"},
		body: fmt.Appendf(nil, `{"fileName":"scenario.txt","size":%d,"contentType":"text/plain"}`, len(text)), want: []int{http.StatusCreated, http.StatusOK},
	})
	if r.abandoned {
		return
	}
	if err := json.Unmarshal(answer, &reserved); err != nil {
		r.t.Errorf("%s: %v: %s", r.title, err, answer)
		return
	}
	r.send(ctx, request{
		method: http.MethodPut, path: reserved.Upload.URL, header: reserved.Upload.Headers, body: []byte(text),
		want: []int{http.StatusOK, http.StatusPreconditionFailed},
	})
}

func reported(ctx context.Context, r *run) {
	r.begin()
	r.reserveAndPut(ctx)
	if !r.abandoned {
		r.send(ctx, request{method: http.MethodPost, path: "/v1/files/" + r.id(ctx) + "/uploaded", want: []int{http.StatusAccepted}})
	}
	r.promised(ctx, audit.Promise{Result: statistics})
}

func noticed(ctx context.Context, r *run) {
	r.begin()
	r.reserveAndPut(ctx)
	r.promised(ctx, audit.Promise{Result: statistics})
}

func notAText(ctx context.Context, r *run) {
	r.begin()
	r.post(ctx, notText)
	r.promised(ctx, audit.Promise{End: audit.Failed})
}

// failedBefore retries a file that can succeed but that the test moved to FAILED.
func failedBefore(ctx context.Context, r *run) {
	r.reserveAndPut(ctx)
	file, err := r.system.files.Get(ctx, r.id(ctx))
	if err == nil {
		_, err = r.system.files.Fail(ctx, file, "by hand")
	}
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	r.begin()
	status, _ := r.send(ctx, request{method: http.MethodPost, path: "/v1/files/" + r.id(ctx) + "/retry", want: []int{http.StatusAccepted, http.StatusConflict}})
	if status == http.StatusConflict {
		// An earlier attempt moved the file to PENDING, and may have crashed before it published the event.
		r.send(ctx, request{method: http.MethodPost, path: "/v1/files/" + r.id(ctx) + "/uploaded", want: []int{http.StatusAccepted}})
	}
	r.promised(ctx, audit.Promise{Result: statistics, Retried: true})
}

func deletedLater(ctx context.Context, r *run) {
	r.post(ctx, text)
	r.settle(ctx, audit.Promise{Area: textfile.Name, ID: r.id(ctx), At: time.Now()})
	r.begin()
	r.delete(ctx)
}

func deletedDuringProcessing(ctx context.Context, r *run) {
	r.begin()
	r.post(ctx, text)
	r.delete(ctx)
}

func (r *run) delete(ctx context.Context) {
	r.send(ctx, request{method: http.MethodDelete, path: "/v1/files/" + r.id(ctx), want: []int{http.StatusNoContent}})
	r.promised(ctx, audit.Promise{End: audit.Gone})
}

// sourceID returns the id of the client's feed item.
func (r *run) sourceID() string { return "newsapi#" + r.key }

func (r *run) postItem(ctx context.Context, tags string) {
	r.send(ctx, request{
		method: http.MethodPost, path: "/v1/feed/items", header: map[string]string{"Content-Type": "application/json"},
		body: fmt.Appendf(nil, `{"sourceId":%q,"sourceType":"newsapi","text":"What a lovely day!","matchedTags":[%s]}`, r.sourceID(), tags),
		want: []int{http.StatusCreated, http.StatusOK},
	})
}

func (r *run) promisedItem(ctx context.Context) {
	r.promised(ctx, audit.Promise{Area: feed.Name, ID: r.sourceID(), Result: feed.Positive})
	if r.abandoned {
		return
	}
	// The scenario ends once the dashboard has all rows of the item.
	for {
		rows, err := r.system.rows(ctx, r.sourceID())
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			r.t.Errorf("%s: got %d dashboard rows of the item, want all: %v", r.title, rows, err)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func aFeedItem(ctx context.Context, r *run) {
	r.begin()
	r.postItem(ctx, `"a"`)
	r.promisedItem(ctx)
}

// aFeedItemAgain posts an existing item with another tag.
func aFeedItemAgain(ctx context.Context, r *run) {
	r.postItem(ctx, `"a"`)
	r.settle(ctx, audit.Promise{Area: feed.Name, ID: r.sourceID(), At: time.Now()})
	r.begin()
	r.postItem(ctx, `"b"`)
	r.promisedItem(ctx)
}

// sweptUp prepares states that only a sweep can repair: an unnotified upload, an item whose work
// message is lost, an unused reservation, a file missing from its owner's list, orphan objects, an
// abandoned upload in parts, and the corresponding states of the feed.
func sweptUp(ctx context.Context, r *run) {
	s, unnotified := r.system, r.key
	r.reserveAndPut(ctx)
	var wrong []error
	check := func(err error) { wrong = append(wrong, err) }

	r.key = uuid.Must(uuid.NewV7()).String()
	r.reserveAndPut(ctx)
	lost := r.id(ctx)
	file, err := s.files.Get(ctx, lost)
	check(err)
	_, err = s.files.Claim(ctx, file)
	check(err)

	unused := uuid.Must(uuid.NewV7()).String()
	terms := textfile.Reservation{FileName: "unused", Size: 1}
	_, err = s.files.Reserve(ctx, textfile.File{FileID: unused, OwnerID: r.owner, S3Key: terms.ObjectKey(unused), FileName: terms.FileName})
	check(err)
	orphan := uuid.Must(uuid.NewV7()).String()
	_, err = s.audit.Bucket().Put(ctx, terms.ObjectKey(orphan), "text/plain", nil, strings.NewReader(text))
	check(err)

	_, err = s.audit.Bucket().OpenParts(ctx, terms.ObjectKey(orphan), "text/plain", nil)
	check(err)

	r.key = uuid.Must(uuid.NewV7()).String()
	r.post(ctx, text)
	unlisted := r.id(ctx)
	r.settle(ctx, audit.Promise{Area: textfile.Name, ID: unlisted, At: time.Now()})
	check(s.unlist(ctx, r.owner, unlisted))

	keep := func(submission feed.Submission) {
		document, err := submission.Document()
		check(err)
		_, err = s.audit.Bucket().Put(ctx, feed.TextKey(submission.SourceID), feed.DocumentType, nil, bytes.NewReader(document))
		check(err)
	}
	item := feed.Submission{SourceID: "newsapi#" + unused, SourceType: "newsapi", Text: "What a lovely day!", MatchedTags: []string{"a"}}.Stamped(time.Now())
	keep(item)
	_, _, err = s.items.Create(ctx, item.Item(time.Now()))
	check(err)
	orphanText := item
	orphanText.SourceID = "newsapi#" + orphan
	keep(orphanText)
	if err := errors.Join(wrong...); err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(expires): // until the reservation has expired
	}
	r.begin()
	s.sweep(ctx, r.t)
	r.key = unnotified
	r.promised(ctx, audit.Promise{Result: statistics})
	r.promised(ctx, audit.Promise{Area: textfile.Name, ID: lost, Result: statistics})
	r.promised(ctx, audit.Promise{Area: textfile.Name, ID: unlisted, Result: statistics})
	r.promised(ctx, audit.Promise{Area: feed.Name, ID: item.SourceID, Result: feed.Positive})
	for _, gone := range []string{unused, orphan} {
		s.promise(audit.Promise{Run: r.title, Area: textfile.Name, ID: gone, End: audit.Gone})
	}
	s.promise(audit.Promise{Run: r.title, Area: feed.Name, ID: orphanText.SourceID, End: audit.Gone})
}
