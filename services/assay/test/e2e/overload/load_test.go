package overload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// Phases of an overload.
const (
	calm    = iota // quiet owners only
	flooded        // plus one flooding owner and one flooding feed source
	crowded        // plus more flooding owners than the stream admits
	over           // nothing more is uploaded
	phases
)

// overload is the load of flooding and quiet owners, with the result of each upload.
type overload struct {
	system.System
	t       *testing.T
	ingest  string // address of ingest itself, because the latency of a gateway would count
	http    *http.Client
	current atomic.Int64 // phase
	clients sync.WaitGroup
	places  chan struct{} // limits the concurrent uploads of floods

	mu       sync.Mutex
	tries    []try
	promises []audit.Promise
	who      map[string]owned // by item
	wrong    int              // responses that neither accept nor correctly reject an upload
}

// try is one attempt at an upload, as seen by its client.
type try struct {
	area   string
	quiet  bool
	phase  int
	status int // http.StatusOK if it was accepted
	took   time.Duration
}

// owned is an accepted item: its area, whether its owner is quiet, and its phase.
type owned struct {
	area  string
	quiet bool
	phase int
}

func newOverload(t *testing.T, s system.System, ingest string) *overload {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	t.Cleanup(transport.CloseIdleConnections)
	return &overload{
		System: s, t: t, ingest: ingest, http: &http.Client{Transport: system.Checked(transport), Timeout: system.Soon},
		places: make(chan struct{}, 256), who: map[string]owned{},
	}
}

// phase starts a phase and returns its start time.
func (o *overload) phase(p int) time.Time {
	o.current.Store(int64(p))
	return time.Now()
}

// await waits for at least the given duration, and until look returns nil.
func (o *overload) await(length time.Duration, look func() error) {
	o.t.Helper()
	<-time.After(length)
	system.Eventually(o.t, look)
}

// end waits for uploads in progress.
func (o *overload) end() { o.clients.Wait() }

// accepted returns an error until a phase has had a minimum number of accepted uploads.
func (o *overload) accepted(phase, least int) error {
	return o.count("accepted", least, func(t try) bool { return t.phase == phase && t.status == http.StatusOK })
}

// enough returns an error until a phase has had some rejections with a status, and a few accepted items of quiet owners.
func (o *overload) enough(phase, refusal int) error {
	o.mu.Lock()
	quiet := 0
	for _, of := range o.who {
		if of.quiet && of.phase == phase {
			quiet++
		}
	}
	o.mu.Unlock()
	if quiet < 2*quietOwners {
		return fmt.Errorf("%d items of quiet owners were accepted in phase %d, want %d", quiet, phase, 2*quietOwners)
	}
	return o.count(fmt.Sprint("rejected with ", refusal), 20, func(t try) bool { return t.phase == phase && t.status == refusal })
}

func (o *overload) count(what string, least int, is func(try) bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, t := range o.tries {
		if is(t) {
			n++
		}
	}
	if n < least {
		return fmt.Errorf("%d uploads were %s, want %d", n, what, least)
	}
	return nil
}

// flood uploads continuously, ignoring rejections, until the phase ends. Half of the uploads are files of the owners in
// turn, and half are items of one feed source.
func (o *overload) flood(owners int) {
	phase := int(o.current.Load())
	names := make([]string, owners)
	for i := range names {
		names[i] = system.NewOwner()
	}
	text := system.RandomText(7, 100)
	o.clients.Go(func() {
		tick := time.NewTicker(floodPause)
		defer tick.Stop()
		for i := 0; int(o.current.Load()) == phase; i++ {
			<-tick.C
			select {
			case o.places <- struct{}{}:
			default: // ingest is slower than the flood; unsent uploads are not counted
				continue
			}
			o.clients.Go(func() {
				defer func() { <-o.places }()
				if i%2 == 0 {
					o.item(system.NewPosting("This is a good day.", "flood"), false, phase)
					return
				}
				o.file(names[i/2%owners], "", text, false, phase)
			})
		}
	})
}

// quiet uploads at intervals until the load ends. It retries each upload until it is accepted, and respects Retry-After.
// Half of the uploads are files, presigned and multipart in turn, and half are items of a feed source that does not
// flood.
func (o *overload) quiet(number int) {
	owner := system.NewOwner()
	api := o.Client(o.t, owner)
	o.clients.Go(func() {
		for i := 0; int(o.current.Load()) != over; i++ {
			text := system.RandomText(uint64(100*i+number), 100)
			key := uuid.Must(uuid.NewV7()).String()
			id := "reddit#" + strings.ReplaceAll(key, "-", "")
			var insist func() (accepted bool, wait time.Duration)
			switch i % 4 {
			case 1:
				insist = func() (bool, time.Duration) { return o.presigned(api, key, text) }
			case 3:
				insist = func() (bool, time.Duration) {
					return o.file(owner, key, text, true, int(o.current.Load()))
				}
			default:
				insist = func() (bool, time.Duration) {
					return o.item(system.Posting{SourceID: id, SourceType: "reddit", Text: "This is a good day.", MatchedTags: []string{"quiet"}}, true, int(o.current.Load()))
				}
			}
			for {
				accepted, wait := insist()
				if accepted || o.t.Context().Err() != nil {
					break
				}
				<-time.After(wait)
			}
			pause := quietPause
			if int(o.current.Load()) == calm {
				pause /= 10
			}
			<-time.After(pause)
		}
	})
}

// file posts a file. Without a key, a rejected file must leave nothing behind.
func (o *overload) file(owner, key, text string, quiet bool, phase int) (accepted bool, wait time.Duration) {
	content, formType := system.Form(`form-data; name="file"; filename="f.txt"`, "text/plain", text)
	header := map[string]string{"Content-Type": formType, "X-Owner-Id": owner}
	if key != "" {
		header["Idempotency-Key"] = key
	}
	answer, accepted, wait := o.send("/v1/files", header, content, textfile.Name, quiet, phase)
	if !accepted {
		return false, wait
	}
	var file client.File
	if err := json.Unmarshal(answer, &file); err != nil {
		o.t.Errorf("cannot decode %s: %v", answer, err)
	}
	o.keep(audit.Promise{Area: textfile.Name, ID: file.FileID, At: time.Now(), Result: system.JSON(system.Count(text))}, quiet, phase)
	return true, 0
}

// item posts a feed item. A rejected item may still be processed.
func (o *overload) item(p system.Posting, quiet bool, phase int) (accepted bool, wait time.Duration) {
	_, accepted, wait = o.send("/v1/feed/items", system.JSONHeader, system.JSON(p), feed.Name, quiet, phase)
	promise := audit.Promise{Area: feed.Name, ID: p.SourceID, Result: feed.Positive}
	if accepted {
		promise.At = time.Now()
	}
	if accepted || !quiet { // quiet owners retry
		o.keep(promise, quiet, phase)
	}
	return accepted, wait
}

// presigned uploads a file with a presigned request, like the command line.
func (o *overload) presigned(api *client.Client, key, text string) (accepted bool, wait time.Duration) {
	up := system.Source("presigned.txt", text)
	up.Key = key
	file, err := api.Upload(o.t.Context(), up)
	if err != nil {
		busy, isProblem := errors.AsType[*client.Problem](err)
		if !isProblem || busy.RetryAfter == 0 {
			o.mistake("a presigned upload returned %v, want a rejection with Retry-After", err)
		}
		return false, time.Second
	}
	o.keep(audit.Promise{Area: textfile.Name, ID: file.FileID, At: time.Now(), Result: system.JSON(system.Count(text))}, true, int(o.current.Load()))
	return true, 0
}

// send makes one attempt at an upload and checks a rejection.
func (o *overload) send(path string, header map[string]string, content, area string, quiet bool, phase int) (answer []byte, accepted bool, wait time.Duration) {
	req, err := http.NewRequestWithContext(context.WithoutCancel(o.t.Context()), http.MethodPost, o.ingest+path, strings.NewReader(content))
	if err != nil {
		panic(err) // the URL is valid
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	began := time.Now()
	resp, err := o.http.Do(req)
	if err != nil {
		o.mistake("POST %s: %v; want a response", path, err)
		return nil, false, time.Second
	}
	answer, err = io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		o.mistake("reading the response to POST %s: %v", path, err)
		return nil, false, time.Second
	}
	status := resp.StatusCode
	if status/100 == 2 {
		status = http.StatusOK
	}
	o.mu.Lock()
	o.tries = append(o.tries, try{area, quiet, phase, status, time.Since(began)})
	o.mu.Unlock()
	if status == http.StatusOK {
		return answer, true, 0
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	kind := map[int]string{http.StatusTooManyRequests: `"urn:assay:problem:too-much-waiting"`, http.StatusServiceUnavailable: `"urn:assay:problem:unavailable"`}[status]
	if err != nil || seconds < 1 || kind == "" || !bytes.Contains(answer, []byte(kind)) || resp.Header.Get("Content-Type") != "application/problem+json" {
		o.mistake("POST %s: %d %s, Retry-After %q; want 429 or 503 with Retry-After", path, status, answer, resp.Header.Get("Retry-After"))
	}
	return answer, false, time.Duration(max(seconds, 1)) * time.Second
}

// maxMistakes is the number of mistakes that are reported in full.
const maxMistakes = 10

// mistake records a response that neither accepts nor correctly rejects an upload.
func (o *overload) mistake(format string, args ...any) {
	o.mu.Lock()
	o.wrong++
	report := o.wrong <= maxMistakes
	o.mu.Unlock()
	if report {
		o.t.Errorf(format, args...)
	}
}

func (o *overload) keep(p audit.Promise, quiet bool, phase int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.Run = fmt.Sprint("phase ", phase)
	o.promises = append(o.promises, p)
	if !p.At.IsZero() {
		o.who[p.ID] = owned{p.Area, quiet, phase}
	}
}
