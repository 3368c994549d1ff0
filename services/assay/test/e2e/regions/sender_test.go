package regions

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// acknowledgement is the response to an accepted item.
type acknowledgement struct {
	posting system.Posting
	region  string // that accepted the item
	status  int    // 201, or 200 for an item that existed
	at      time.Time
}

// sender posts items at a fixed rate. Each client repeats its post, to the region that is selected at that time, until it is
// acknowledged.
type sender struct {
	t    *testing.T
	http *http.Client
	tag  string
	stop context.CancelFunc
	all  sync.WaitGroup

	mu     sync.Mutex
	region string
	url    string
	acks   []acknowledgement
	failed int // requests without an acknowledgement
}

// newSender returns a sender whose items have a tag.
func newSender(t *testing.T, tag string) *sender {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &sender{t: t, tag: tag, http: &http.Client{Transport: transport, Timeout: 10 * time.Second}}
}

// route selects the region of later requests, like a change of the name's address.
func (s *sender) route(r *region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.region, s.url = r.name, r.ingest.URL
}

// start begins to post items at a rate per second. end must be called.
func (s *sender) start(perSecond int) {
	ctx, stop := context.WithCancel(s.t.Context())
	s.stop = stop
	s.t.Cleanup(s.end)
	s.all.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.all.Go(func() { s.insist(system.NewPosting("The book was good.", s.tag)) })
			}
		}
	})
}

// end stops new posts and waits until all items are acknowledged.
func (s *sender) end() {
	s.stop()
	s.all.Wait()
}

// retryPause is the time between the attempts of a client.
const retryPause = 50 * time.Millisecond

// insist posts an item until it is acknowledged.
func (s *sender) insist(p system.Posting) {
	ctx, cancel := context.WithTimeout(s.t.Context(), system.Soon)
	defer cancel()
	for {
		err := s.post(ctx, p)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			s.t.Errorf("post %s: %v", p.SourceID, err)
			return
		case <-time.After(retryPause):
		}
	}
}

// post posts an item once. It returns an error unless the item is acknowledged.
func (s *sender) post(ctx context.Context, p system.Posting) error {
	s.mu.Lock()
	at, url := s.region, s.url
	s.mu.Unlock()
	status, err := s.request(ctx, url, p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed++
		return err
	}
	s.acks = append(s.acks, acknowledgement{p, at, status, time.Now()})
	return nil
}

func (s *sender) request(ctx context.Context, url string, p system.Posting) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/feed/items", strings.NewReader(system.JSON(p)))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, body)
	}
	return resp.StatusCode, err
}

// acknowledged returns the acknowledgements of a region so far.
func (s *sender) acknowledged(r *region) []acknowledgement {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []acknowledgement
	for _, a := range s.acks {
		if a.region == r.name {
			all = append(all, a)
		}
	}
	return all
}
