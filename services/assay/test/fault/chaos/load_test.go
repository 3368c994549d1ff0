package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/extract/wordstats"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	e2e "github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// load uploads text files and feed items with every kind of call. It retries each upload
// with the same idempotency key, on a random ingest, until it is accepted.
type load struct {
	ingests func() []*service
	stopped atomic.Bool

	mu       sync.Mutex
	promises []audit.Promise
	tries    int
}

// tryTime limits one attempt; the next one uses a random ingest.
const tryTime = 5 * time.Second

// run uploads with several clients until stopped is set. Uploads in progress continue
// until they are accepted or ctx is done.
func (l *load) run(ctx context.Context, seed uint64, clients int, pause time.Duration) {
	var all sync.WaitGroup
	for number := range clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(number)))
			for i := 0; !l.stopped.Load() && ctx.Err() == nil; i++ {
				l.one(ctx, random, fmt.Sprintf("client %d, upload %d", number, i))
				select {
				case <-ctx.Done():
				case <-time.After(time.Duration(random.Int64N(int64(2 * pause)))):
				}
			}
		})
	}
	all.Wait()
}

// one makes one upload and records its promise.
func (l *load) one(ctx context.Context, random *rand.Rand, name string) {
	owner := fmt.Sprintf("owner-%d", random.IntN(8))
	key := uuid.Must(uuid.NewV7()).String()
	var p audit.Promise
	var try func(ctx context.Context, url string) error
	if random.IntN(4) == 0 {
		id := "reddit#" + key
		p = audit.Promise{Area: feed.Name, ID: id, Result: feed.Positive}
		try = func(ctx context.Context, url string) error { return postItem(ctx, url, id) }
	} else {
		text, want := randomText(random)
		p = audit.Promise{Area: textfile.Name, Result: want}
		if random.IntN(20) == 0 {
			text, p.End, p.Result = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", audit.Failed, ""
		}
		way := random.IntN(3)
		try = func(ctx context.Context, url string) (err error) {
			p.ID, err = upload(ctx, url, owner, key, text, way)
			return err
		}
	}
	p.Run = name
	for ctx.Err() == nil {
		ingests := l.ingests()
		l.mu.Lock()
		l.tries++
		l.mu.Unlock()
		bounded, cancel := context.WithTimeout(ctx, tryTime)
		err := try(bounded, ingests[random.IntN(len(ingests))].url)
		cancel()
		if err == nil {
			p.At = time.Now()
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(random.IntN(100)) * time.Millisecond):
		}
	}
	if p.At.IsZero() && p.Area == textfile.Name {
		return // the id of the file is unknown
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.promises = append(l.promises, p)
}

// randomText returns random words, and their statistics in the form of
// audit.Promise.Result.
func randomText(random *rand.Rand) (text, statistics string) {
	var b strings.Builder
	for range 20 + random.IntN(2000) {
		fmt.Fprintf(&b, "word%d ", random.IntN(300))
	}
	counted, err := wordstats.Count(strings.NewReader(b.String()))
	if err != nil {
		panic(err) // impossible for a small text
	}
	result := textfile.Result{
		TotalWords: counted.TotalWords, UniqueWords: counted.UniqueWords, AvgWordLength: counted.AvgWordLength,
		Charset: "utf-8", CharsetSource: "detected",
	}
	for _, top := range counted.Top10Words {
		result.Top10Words = append(result.Top10Words, textfile.WordCount{Word: top.Word, Count: top.Count})
	}
	data, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	return b.String(), string(data)
}

// errRefused means that the status of a response is not a success.
var errRefused = errors.New("refused")

func call(ctx context.Context, method, url string, header map[string]string, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Close = true // the service may be replaced before the next request
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := (&http.Client{Timeout: tryTime, Transport: e2e.Checked(http.DefaultTransport)}).Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

func postItem(ctx context.Context, url, id string) error {
	body, err := json.Marshal(map[string]any{"sourceId": id, "sourceType": "reddit", "text": "What a lovely day!", "matchedTags": []string{"chaos"}})
	if err != nil {
		return err
	}
	status, err := call(ctx, http.MethodPost, url+"/v1/feed/items", map[string]string{"Content-Type": "application/json"}, string(body))
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("%w: %d", errRefused, status)
	}
	return err
}

// upload uploads a text in one of three ways: through ingest; to the bucket, followed by
// two `uploaded` calls; or only to the bucket, which sends a notification. It returns
// the id of the file.
func upload(ctx context.Context, url, owner, key, text string, way int) (fileID string, err error) {
	c, err := client.New(client.Config{Server: url, OwnerID: owner, HTTP: &http.Client{Timeout: tryTime, Transport: e2e.Checked(&http.Transport{DisableKeepAlives: true})}})
	if err != nil {
		return "", err
	}
	if way == 0 {
		file, err := c.PostFile(ctx, client.Posted{FileName: "chaos.txt", ContentType: "text/plain", Content: bytes.NewReader([]byte(text)), Key: key})
		return file.FileID, err
	}
	reserved, err := c.Reserve(ctx, client.Reservation{FileName: "chaos.txt", ContentType: "text/plain", Size: int64(len(text)), Key: key})
	if err != nil || reserved.Status != client.Pending {
		return reserved.FileID, err
	}
	status, err := call(ctx, reserved.Upload.Method, reserved.Upload.URL, reserved.Upload.Headers, text)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusOK && way == 2:
		return reserved.FileID, nil
	case status != http.StatusOK && status != http.StatusPreconditionFailed: // 412: an earlier attempt stored the object
		return "", fmt.Errorf("%w: the bucket responded with %d", errRefused, status)
	}
	for range 2 {
		if _, err := c.Uploaded(ctx, reserved.FileID); err != nil {
			return "", err
		}
	}
	return reserved.FileID, nil
}
