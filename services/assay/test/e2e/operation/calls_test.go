package operation

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// callsOf contains, by kind of upload, the number of backend calls from the POST of a small item until it is final. A
// change must be deliberate: each call adds a few tenths of a millisecond to every file, and each write adds a sync of the
// engine.
//
// The TransactWriteItems calls are the reservation, the claim and the completion, each of two items that must be
// consistent. The feed's Query calls check for a row whose text was lost, and whether the item was given up or analyzed
// after its event was sent.
var callsOf = map[string]map[string]int{
	"multipart": {
		"dynamodb TransactWriteItems": 3, "s3 PUT": 1, "s3 GET": 1,
		"nats assay-work": 1, "nats assay.analysis.completed": 1, "nats ack": 1,
	},
	// The client's `uploaded` call also reads the item and the attributes of its object.
	"presigned": {
		"dynamodb TransactWriteItems": 3, "dynamodb GetItem": 1, "s3 PUT": 1, "s3 HEAD": 1, "s3 GET": 1,
		"nats assay-work": 1, "nats assay.analysis.completed": 1, "nats ack": 1,
	},
	"feed": {
		"dynamodb PutItem": 1, "dynamodb Query": 2, "dynamodb UpdateItem": 1, "s3 PUT": 1, "s3 GET": 1,
		"nats assay-work": 1, "nats assay.analysis.completed": 1, "nats ack": 1,
	},
}

// TestCallsOfASmallItem counts the backend calls of ingest and analyzer, and the client's own PUT. It does not count
// calls that are independent of items: waiting pull requests, and the check for a full stream, at most once per second.
// The bucket's notifications are not consumed, because their timing varies.
func TestCallsOfASmallItem(t *testing.T) {
	t.Parallel()
	const each = 5
	s := startCounted(t)
	ways := map[string]func(t *testing.T, i int){
		"multipart": func(t *testing.T, i int) {
			system.UploadMultipart(t, s.Client(t, system.NewOwner()), "small.txt", "text/plain", []byte(system.RandomText(uint64(i), 600)))
		},
		"presigned": func(t *testing.T, i int) {
			system.UploadPresigned(t, s.Client(t, system.NewOwner()), "small.txt", "text/plain", []byte(system.RandomText(uint64(i), 600)))
		},
		"feed": func(t *testing.T, _ int) { s.PostItem(t, system.NewPosting("What a lovely day!", system.NewTag())) },
	}
	for way, send := range ways {
		s.settled(t, func() { send(t, 0) }, 1) // warm up connections and caches
		differences := []string{"not measured"}
		for round := 0; round < 3 && len(differences) > 0; round++ { // a busy machine repeats calls that time out
			s.take()
			s.settled(t, func() {
				for i := range each {
					send(t, i)
				}
			}, each)
			differences = compareCalls(s.take(), callsOf[way], each)
		}
		for _, difference := range differences {
			t.Errorf("%s: %s, in each of three rounds", way, difference)
		}
	}
}

// compareCalls describes how the calls for some items differ from the wanted calls per item.
func compareCalls(got, want map[string]int, items int) []string {
	var differences []string
	for _, call := range slices.Sorted(maps.Keys(got)) {
		if _, known := want[call]; !known {
			differences = append(differences, fmt.Sprintf("got %.1f calls of %s per item, want none; if they are needed, add them to callsOf with the reason",
				float64(got[call])/float64(items), call))
		}
	}
	for _, call := range slices.Sorted(maps.Keys(want)) {
		if got[call] != want[call]*items {
			differences = append(differences, fmt.Sprintf("%d items made %d calls of %s, want %d per item", items, got[call], call, want[call]))
		}
	}
	return differences
}

// TestConnectionsAreKept: with 64 files in flight, requests reuse connections.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	const inFlight, files = 64, 320
	s := startCounted(t, "ASSAY_STREAMED_UPLOADS=64")
	s.settled(t, func() {
		var workers sync.WaitGroup
		for worker := range inFlight {
			c := s.Client(t, system.NewOwner())
			workers.Go(func() {
				for i := range files / inFlight {
					system.UploadMultipart(t, c, "small.txt", "text/plain", []byte(system.RandomText(uint64(worker*1000+i), 50)))
				}
			})
		}
		workers.Wait()
	}, files)
	calls := s.take()
	for _, engine := range []string{"dynamodb", "s3"} {
		requests := 0
		for call, n := range calls {
			if strings.HasPrefix(call, engine+" ") {
				requests += n
			}
		}
		// Each service can have one connection per request in flight and some more, because a connection can be dialed
		// while another becomes idle.
		if opened := s.opened[engine].total(); opened > 4*inFlight || requests < 2*files {
			t.Errorf("%s: %d connections were opened for %d requests, want at most %d for at least %d", engine, opened, requests, 4*inFlight, 2*files)
		}
	}
}

// counted is a system of ingest and analyzer whose backend calls are counted.
type counted struct {
	system.System
	opened map[string]*opened

	mu    sync.Mutex
	calls map[string]int
	acks  int
}

// opened counts the connections opened to a listener.
type opened struct {
	mu sync.Mutex
	n  int
}

func (o *opened) note(_ net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if state == http.StateNew {
		o.n++
	}
}

func (o *opened) total() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

func startCounted(t *testing.T, env ...string) *counted {
	t.Helper()
	c := system.StartCluster(t, append([]string{"ASSAY_SWEEP_EVERY=0", "ASSAY_LEASE=10m"}, env...)...)
	s := &counted{System: c.System, calls: map[string]int{}, opened: map[string]*opened{}}
	c.Env = append(c.Env,
		"ASSAY_DYNAMODB_ENDPOINT="+s.watch(t, "dynamodb", c.DynamoDB, func(r *http.Request) string {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte(`"assay-platform"`)) {
				return "" // polls of settings, which are not caused by items
			}
			_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			return operation
		}),
		"ASSAY_S3_ENDPOINT="+s.watch(t, "s3", c.S3, func(r *http.Request) string { return r.Method }))
	s.HTTP = c.Service(t, "ingest").URL
	c.Service(t, "analyzer")
	s.HoldNotices(t)
	conn := s.Events(t)
	if _, err := conn.Subscribe(">", s.published); err != nil {
		t.Fatal(err)
	}
	if err := conn.FlushWithContext(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	return s
}

// watch returns the address of a proxy to an engine that counts requests, except those for which name returns "".
func (s *counted) watch(t *testing.T, engine, to string, name func(*http.Request) string) string {
	t.Helper()
	s.opened[engine] = &opened{}
	return system.Intercept(t, to, func(r *http.Request) {
		if call := name(r); call != "" {
			s.note(engine + " " + call)
		}
	}, s.opened[engine].note)
}

func (s *counted) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[call]++
}

// published records a published message. It ignores replies of the server and requests to it.
func (s *counted) published(m *nats.Msg) {
	switch {
	case strings.HasPrefix(m.Subject, "$JS.ACK."):
		if string(m.Data) == "+ACK" {
			s.note("nats ack")
			s.mu.Lock()
			s.acks++
			s.mu.Unlock()
		}
	case strings.HasPrefix(m.Reply, "$JS.ACK."): // delivered to a worker
	case m.Header.Get("Nats-Stream") != "": // republished by the server
	case strings.HasPrefix(m.Subject, "assay-work."):
		s.note("nats assay-work")
	case strings.HasPrefix(m.Subject, "$"), strings.HasPrefix(m.Subject, "_INBOX."), m.Subject == "s3.notice":
	default:
		s.note("nats " + strings.Join(strings.Split(m.Subject, ".")[:3], "."))
	}
}

// settled runs a function and waits until the given number of further items has been acknowledged, which is the last
// step of processing.
func (s *counted) settled(t *testing.T, do func(), items int) {
	t.Helper()
	acks := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.acks
	}
	before := acks()
	do()
	system.Eventually(t, func() error {
		if n := acks() - before; n < items {
			return fmt.Errorf("%d items are acknowledged, want %d", n, items)
		}
		return nil
	})
}

// take returns and resets the number of calls by name.
func (s *counted) take() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = map[string]int{}
	return calls
}
