package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// load uploads by every way into every area, without rest, and keeps what was
// promised.
type load struct {
	system
	client  *client.Client
	owner   string
	uploads int
	reached chan struct{} // one for each accepted upload; closed after the last

	mu       sync.Mutex
	promises []audit.Promise
}

// loadWorkers is how many uploads are in progress at once.
const loadWorkers = 8

// startLoad begins as many uploads, which end with the test's context.
func startLoad(ctx context.Context, t *testing.T, s system, uploads int) *load {
	t.Helper()
	l := &load{system: s, owner: newOwner(), uploads: uploads, reached: make(chan struct{}, uploads)}
	l.client = s.client(t, l.owner)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range loadWorkers {
		workers.Go(func() {
			for i := range numbers {
				accepted := l.upload(ctx, t, i)
				l.mu.Lock()
				l.promises = append(l.promises, accepted...)
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
		}
	}()
	return l
}

// during calls harm at a random moment of each of the given number of parts of
// the load, and returns once all is uploaded.
func (l *load) during(random *rand.Rand, parts int, harm func(part int)) {
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

// moment is after how many uploads something happens to a part.
func (l *load) moment(random *rand.Rand, parts, part int) int {
	size := l.uploads / parts
	return part*size + size/8 + random.IntN(size/2)
}

// upload uploads until it is accepted: a text in one of three ways, an item of the
// feed, or several.
func (l *load) upload(ctx context.Context, t *testing.T, i int) []audit.Promise {
	t.Helper()
	name := fmt.Sprint("upload ", i)
	switch i % 7 {
	case 5:
		return l.uploadPhoto(ctx, t, i)
	case 6:
		return l.uploadPhotos(ctx, t, i)
	case 3:
		p := newPosting("This is a good day.", "load")
		l.insist(ctx, t, show(p))
		return []audit.Promise{{Run: name, Area: feed.Name, ID: p.SourceID, At: time.Now(), Result: feed.Positive}}
	case 4:
		good, bad := newPosting("What a lovely surprise!", "load", "a"), newPosting("This is terrible.", "b")
		l.insist(ctx, t, show(map[string]any{"items": []posting{good, bad}}))
		return []audit.Promise{
			{Run: name, Area: feed.Name, ID: good.SourceID, At: time.Now(), Result: feed.Positive},
			{Run: name, Area: feed.Name, ID: bad.SourceID, At: time.Now(), Result: feed.Negative},
		}
	}
	text := randomText(uint64(i), 200+i%150*20)
	id := persist(ctx, t, l.client, i%7, text)
	return []audit.Promise{{Run: name, Area: textfile.Name, ID: id, At: time.Now(), Result: show(count(text))}}
}

// insist posts feed items until they are accepted.
func (l *load) insist(ctx context.Context, t *testing.T, body string) {
	t.Helper()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.HTTP+"/v1/feed/items", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		resp, answer, err := roundTrip(req)
		switch {
		case err != nil:
		case resp.StatusCode/100 == 2:
			return
		default:
			err = errors.New(answer)
		}
		select {
		case <-ctx.Done():
			t.Errorf("post %s: %v", body, err)
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// audit compares the promises with what the system holds.
func (l *load) audit(ctx context.Context, t *testing.T) audit.Report {
	t.Helper()
	system, err := audit.Open(ctx, l.auditing())
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	report, err := system.Audit(ctx, l.promises, soon)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Kept() {
		t.Error(report)
	}
	t.Log(report)
	return report
}

func (s system) auditing() setup.Config {
	return setup.Config{
		Backends: backend.Config{
			AWS:      backend.AWS{Region: s.Region, AccessKey: s.AccessKey, SecretKey: s.SecretKey},
			DynamoDB: table.Config{Endpoint: s.DynamoDB}, S3: blob.Config{Endpoint: s.S3, Bucket: s.Bucket}, NATS: bus.Config{URL: s.NATS},
		},
		TextFile: textfile.Config{Table: s.Table},
		Feed:     feed.Config{Primary: "sentiment-items-primary", Dashboard: "sentiment-items-dashboard"},
		PhotoJob: photojob.Config{Env: "dev"},
	}
}

// persist uploads until it is accepted, with one key for all its tries, and
// returns the file's id. Two ways in, and for the presigned one two ways to
// tell: by the call, or by the bucket's notice alone.
func persist(ctx context.Context, t *testing.T, c *client.Client, way int, text string) string {
	t.Helper()
	key := uuid.Must(uuid.NewV7()).String()
	name := "way " + fmt.Sprint(way)
	for {
		var id string
		var err error
		switch way % 3 {
		case 0:
			up := source(name, text)
			up.Key = key
			var file client.File
			file, err = c.Upload(ctx, up)
			id = file.FileID
		case 1:
			var file client.File
			file, err = c.PostFile(ctx, posted(name, text, key))
			id = file.FileID
		case 2:
			id, err = putOnly(ctx, c, name, text, key)
		}
		if err == nil {
			return id
		}
		select {
		case <-ctx.Done():
			t.Errorf("upload: %v", err)
			return ""
		case <-time.After(20 * time.Millisecond):
		}
	}
}
