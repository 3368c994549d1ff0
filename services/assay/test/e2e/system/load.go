package system

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

var (
	loadUploads = flag.Int("fault.uploads", 24, "number of uploads of each run with kills")
	loadSeed    = flag.Uint64("fault.seed", 13, "random seed of the processes to kill and the times of the kills")
)

// LoadUploads returns the number of uploads in a run with kills, the flag -fault.uploads.
func LoadUploads() int { return *loadUploads }

// LoadSeed returns the random seed of the processes to kill and the times of the kills, the flag -fault.seed.
func LoadSeed() uint64 { return *loadSeed }

// LoadTime returns the time limit of a load of LoadUploads.
func LoadTime() time.Duration {
	return 3*time.Minute + time.Duration(*loadUploads)*500*time.Millisecond
}

// putOnly reserves an upload and puts the bytes; only the bucket's notification reports the upload.
func putOnly(ctx context.Context, c *client.Client, name, text, key string) (string, error) {
	reserved, err := c.Reserve(ctx, client.Reservation{FileName: name, Size: int64(len(text)), Key: key})
	if err != nil || reserved.Status != client.Pending {
		return reserved.FileID, err
	}
	req, err := putBytes(ctx, reserved.Upload, text)
	if err != nil {
		return "", err
	}
	resp, body, err := RoundTrip(req)
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode == http.StatusPreconditionFailed:
		// An earlier attempt stored the bytes, but the bucket may have crashed before the notification.
		_, err = c.Uploaded(ctx, reserved.FileID)
	case resp.StatusCode != http.StatusOK:
		err = fmt.Errorf("the bucket returned %d, want 200: %s", resp.StatusCode, body)
	}
	return reserved.FileID, err
}

// Load continuously makes uploads of every kind to every area, and records their promises.
type Load struct {
	System
	client  *client.Client
	owner   string
	uploads int
	reached chan struct{} // receives a value for each accepted upload; closed after the last upload

	mu       sync.Mutex
	Promises []audit.Promise
	Errors   []error // of calls that failed although the client repeated them as the responses say
}

// loadWorkers is the number of concurrent uploads.
const loadWorkers = 8

// StartLoad starts the given number of uploads. They stop when ctx is done.
func StartLoad(ctx context.Context, t *testing.T, s System, uploads int) *Load {
	t.Helper()
	return startLoad(ctx, t, s, uploads, 0, 0)
}

// loadPatience is how long the client of a paced load repeats a call.
const loadPatience = time.Minute

// StartPacedLoad is like StartLoad, with a pause after the start of each upload, and with a client that repeats calls for a
// minute while services restart.
func StartPacedLoad(ctx context.Context, t *testing.T, s System, uploads int, pause time.Duration) *Load {
	t.Helper()
	return startLoad(ctx, t, s, uploads, pause, loadPatience)
}

func startLoad(ctx context.Context, t *testing.T, s System, uploads int, pause, patience time.Duration) *Load {
	t.Helper()
	l := &Load{System: s, owner: NewOwner(), uploads: uploads, reached: make(chan struct{}, uploads)}
	l.client = s.Patient(t, l.owner, patience)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range loadWorkers {
		workers.Go(func() {
			for i := range numbers {
				accepted := l.upload(ctx, t, i)
				l.mu.Lock()
				l.Promises = append(l.Promises, accepted...)
				l.mu.Unlock()
				l.reached <- struct{}{}
			}
		})
	}
	go func() {
		defer close(l.reached)
		defer workers.Wait()
		defer close(numbers)
		for i := range uploads {
			select {
			case numbers <- i:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
		}
	}()
	return l
}

// During divides the load into the given number of parts, calls harm at a random moment of each part, and returns after
// all uploads.
func (l *Load) During(random *rand.Rand, parts int, harm func(part int)) {
	part, next := 0, l.moment(random, parts, 0)
	done := 0
	for range l.reached {
		if done++; part < parts && done == next {
			<-time.After(time.Duration(random.IntN(20_000)) * time.Microsecond)
			harm(part)
			part++
			next = l.moment(random, parts, part)
		}
	}
}

// moment returns the number of uploads after which harm is called in a part.
func (l *Load) moment(random *rand.Rand, parts, part int) int {
	size := l.uploads / parts
	return part*size + size/8 + random.IntN(size/2)
}

// upload repeats an upload until it is accepted, and returns its promises. Uploads are, in turn, a text in one of three
// ways, one or two feed items, a photo, a batch of photos, or a library file.
func (l *Load) upload(ctx context.Context, t *testing.T, i int) []audit.Promise {
	t.Helper()
	name := fmt.Sprint("upload ", i)
	photos := i/7%4 == 0 // photos need more CPU time than texts
	switch kind := i % 7; {
	case kind == 5 && photos:
		return l.uploadPhoto(ctx, t, i)
	case kind == 6 && photos:
		return l.uploadPhotos(ctx, t, i)
	case kind == 5:
		return l.uploadNode(ctx, t, i)
	case kind == 3:
		p := NewPosting("This is a good day.", "load")
		l.insist(ctx, t, JSON(p))
		return []audit.Promise{{Run: name, Area: feed.Name, ID: p.SourceID, At: time.Now(), Result: feed.Positive}}
	case kind == 4:
		good, bad := NewPosting("What a lovely surprise!", "load", "a"), NewPosting("This is terrible.", "b")
		l.insist(ctx, t, JSON(map[string]any{"items": []Posting{good, bad}}))
		return []audit.Promise{
			{Run: name, Area: feed.Name, ID: good.SourceID, At: time.Now(), Result: feed.Positive},
			{Run: name, Area: feed.Name, ID: bad.SourceID, At: time.Now(), Result: feed.Negative},
		}
	}
	text := RandomText(uint64(i), 200+i%150*20)
	key := uuid.Must(uuid.NewV7()).String()
	id := ""
	l.again(ctx, t, func() (err error) {
		id, err = uploadText(ctx, l.client, i%7, text, key)
		return err
	})
	return []audit.Promise{{Run: name, Area: textfile.Name, ID: id, At: time.Now(), Result: JSON(Count(text))}}
}

// uploadNode uploads a library file until it is accepted.
func (l *Load) uploadNode(ctx context.Context, t *testing.T, i int) []audit.Promise {
	t.Helper()
	name, text := fmt.Sprint(i, ".txt"), RandomText(uint64(i), 100)
	file := client.NewLibraryFile{Name: name, Size: int64(len(text)), Key: uuid.Must(uuid.NewV7()).String()}
	p := audit.Promise{Run: "node " + name, Area: library.Name, Result: "Processed /" + name}
	l.again(ctx, t, func() error {
		n, err := l.client.UploadLibraryFile(ctx, file, client.Source{Content: strings.NewReader(text)})
		p.ID, p.At = n.ID, time.Now()
		return err
	})
	return []audit.Promise{p}
}

// insist posts feed items until they are accepted.
func (l *Load) insist(ctx context.Context, t *testing.T, body string) {
	t.Helper()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.HTTP+"/v1/feed/items", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		resp, answer, err := RoundTrip(req)
		if err == nil && resp.StatusCode/100 == 2 {
			return
		}
		if err == nil {
			err = errors.New(resp.Status + ": " + answer)
		}
		pause, told := repeatAfter(resp)
		if !told {
			l.failed(err)
		}
		select {
		case <-ctx.Done():
			t.Errorf("post %s: %v", body, err)
			return
		case <-time.After(pause):
		}
	}
}

// repeatAfter returns the time after which a client repeats an idempotent request. told is false unless the response says that
// it can.
func repeatAfter(resp *http.Response) (pause time.Duration, told bool) {
	const short = 100 * time.Millisecond
	if resp == nil {
		return short, false
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	return short, resp.StatusCode == http.StatusBadGateway
}

// failed records the error of a call.
func (l *Load) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Errors = append(l.Errors, err)
}

// Audit compares the stored state of the system with the promises of the load.
func (l *Load) Audit(ctx context.Context, t *testing.T) audit.Report {
	t.Helper()
	return l.System.Audit(ctx, t, l.Promises)
}

// Audit compares the stored state of the system with the given promises, which must be complete.
func (s System) Audit(ctx context.Context, t *testing.T, promises []audit.Promise) audit.Report {
	t.Helper()
	auditor, err := audit.Open(ctx, s.Auditing())
	if err != nil {
		t.Fatal(err)
	}
	defer auditor.Close()
	report, err := auditor.Audit(ctx, promises, Soon)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Kept() {
		t.Error(report)
	}
	t.Log(report)
	return report
}

// Auditing returns the configuration of an audit of this system.
func (s System) Auditing() setup.Config {
	return setup.Config{
		Backends: backend.Config{
			AWS:      backend.AWS{Region: s.Region, AccessKey: s.AccessKey, SecretKey: s.SecretKey},
			DynamoDB: table.Config{Endpoint: s.DynamoDB}, S3: blob.Config{Endpoint: s.S3, Bucket: s.Bucket}, NATS: bus.Config{URL: s.NATS},
		},
		TextFile: textfile.Config{Table: s.Table},
		Feed:     feed.Config{Primary: "sentiment-items-primary", Dashboard: "sentiment-items-dashboard"},
		PhotoJob: photojob.Config{Env: "dev"},
		Library:  library.Config{Nodes: "leanda-ng-dev-nodes", Files: "leanda-ng-dev-files", Workflows: "leanda-ng-dev-workflow-state"},
	}
}

// Persist uploads a text until it is accepted, with one idempotency key for all attempts, and returns the file's id. way
// selects the kind of upload, modulo 3: presigned and reported by the `uploaded` call, multipart, or presigned and
// reported only by the bucket's notification.
func Persist(ctx context.Context, t *testing.T, c *client.Client, way int, text string) string {
	t.Helper()
	key := uuid.Must(uuid.NewV7()).String()
	for {
		id, err := uploadText(ctx, c, way, text, key)
		if err == nil {
			return id
		}
		select {
		case <-ctx.Done():
			t.Errorf("upload: %v", err)
			return ""
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// uploadText is one attempt of Persist.
func uploadText(ctx context.Context, c *client.Client, way int, text, key string) (id string, err error) {
	name := "way " + fmt.Sprint(way)
	var file client.File
	switch way % 3 {
	case 0:
		up := Source(name, text)
		up.Key = key
		file, err = c.Upload(ctx, up)
	case 1:
		file, err = c.PostFile(ctx, posted(name, text, key))
	default:
		return putOnly(ctx, c, name, text, key)
	}
	return file.FileID, err
}
