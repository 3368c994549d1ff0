package operation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/capacity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestCallsOfASmallItem counts the backend calls of ingest and analyzer, and the client's own PUT, with their bytes and
// the units of capacity that DynamoDB bills. It does not count calls that are independent of items: waiting pull
// requests, the check for a full stream, at most once per second, and records of slow attempts. The bucket's
// notifications are not consumed, because their timing varies.
func TestCallsOfASmallItem(t *testing.T) {
	t.Parallel()
	const each = 5
	s := startCounted(t)
	send := map[string]func(t *testing.T, i int){
		capacity.TextForm: func(t *testing.T, i int) {
			system.UploadMultipart(t, s.Client(t, system.NewOwner()), "small.txt", "text/plain", []byte(system.RandomText(uint64(i), capacity.Words)))
		},
		capacity.TextPresigned: func(t *testing.T, i int) {
			system.UploadPresigned(t, s.Client(t, system.NewOwner()), "small.txt", "text/plain", []byte(system.RandomText(uint64(i), capacity.Words)))
		},
		capacity.FeedItem: func(t *testing.T, _ int) { s.PostItem(t, system.NewPosting(capacity.FeedText, system.NewTag())) },
		capacity.Photo: func(t *testing.T, i int) {
			system.SendPhoto(t, s.Client(t, system.NewOwner()), "grayscale", system.DrawPhoto(t, uint32(i)))
		},
		capacity.LibraryFile: func(t *testing.T, i int) {
			text := system.RandomText(uint64(i), capacity.Words)
			file := client.NewLibraryFile{Name: "small.txt", Size: int64(len(text)), ContentType: "text/plain"}
			if _, err := s.Client(t, system.NewOwner()).UploadLibraryFile(system.Within(t), file, client.Source{Content: strings.NewReader(text)}); err != nil {
				t.Fatal(err)
			}
		},
	}
	for _, item := range capacity.Items {
		one := func(i int) { s.settled(t, func() { send[item.Name](t, i) }, item.Calls[capacity.Ack]) }
		one(0) // warm up connections and caches
		differences := []string{"not measured"}
		for round := 0; round < 3 && len(differences) > 0; round++ { // a busy machine repeats calls that time out
			s.take()
			for i := range each {
				one(i)
			}
			differences = item.Differences(s.take(), each)
		}
		for _, difference := range differences {
			t.Errorf("%s: %s, in each of three rounds", item.Name, difference)
		}
	}
}

// TestUnitsOfTheDashboard counts the write units of the dashboard of the feed, for items that are projected one by one.
// Query writes it with one transaction for all items that it finds in the change stream together.
func TestUnitsOfTheDashboard(t *testing.T) {
	t.Parallel()
	const each = 3
	s := startCounted(t)
	projected := &counted{System: s.System, used: capacity.NewUsage(), opened: map[string]*opened{}}
	s.Service(t, "query", "ASSAY_DYNAMODB_ENDPOINT="+projected.watch(t, capacity.DynamoDB, s.DynamoDB, func(r *http.Request) string {
		if operation := projected.metered(t, r); operation == "TransactWriteItems" {
			return operation
		}
		return ""
	}))
	units := func() float64 {
		projected.mu.Lock()
		defer projected.mu.Unlock()
		return projected.used.WriteUnits
	}
	for range each {
		before := units()
		s.PostItem(t, system.NewPosting(capacity.FeedText, system.NewTag()))
		system.Eventually(t, func() error {
			if units() == before {
				return errors.New("the item is not projected")
			}
			return nil
		})
	}
	if used := projected.take(); used.WriteUnits != each*capacity.DashboardUnits || used.Calls["dynamodb TransactWriteItems"] != each {
		t.Errorf("%d items took %g write units in %d transactions, want %d each in one", each, used.WriteUnits, used.Calls["dynamodb TransactWriteItems"], capacity.DashboardUnits)
	}
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
	used := s.take()
	for _, engine := range []string{"dynamodb", "s3"} {
		requests := 0
		for call, n := range used.Calls {
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
	Service func(t *testing.T, role string, env ...string) *system.Service // starts another service
	opened  map[string]*opened

	mu   sync.Mutex
	used capacity.Usage
	acks int
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
	s := &counted{System: c.System, used: capacity.NewUsage(), opened: map[string]*opened{}}
	c.Env = append(c.Env,
		"ASSAY_DYNAMODB_ENDPOINT="+s.watch(t, capacity.DynamoDB, c.DynamoDB, func(r *http.Request) string { return s.metered(t, r) }),
		"ASSAY_S3_ENDPOINT="+s.watch(t, capacity.S3, c.S3, func(r *http.Request) string { return r.Method }))
	s.Service = c.Service
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

// watch returns the address of a proxy to an engine that counts requests and the bytes of their bodies, except those for
// which name returns "".
func (s *counted) watch(t *testing.T, engine, to string, name func(*http.Request) string) string {
	t.Helper()
	s.opened[engine] = &opened{}
	return system.Intercept(t, to, system.Taps{
		Request: func(r *http.Request) {
			if call := name(r); call != "" {
				r.Header.Set(callHeader, call)
				s.count(func(u *capacity.Usage) {
					u.Calls[engine+" "+call]++
					u.Bytes[engine] += max(r.ContentLength, 0)
				})
			}
		},
		Response: func(resp *http.Response) error {
			call := resp.Request.Header.Get(callHeader)
			if call == "" {
				return nil
			}
			if engine != capacity.DynamoDB {
				if resp.Request.Method != http.MethodHead { // whose length is that of the object
					s.count(func(u *capacity.Usage) { u.Bytes[engine] += max(resp.ContentLength, 0) })
				}
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			if err := errors.Join(err, resp.Body.Close()); err != nil {
				return err
			}
			resp.Body = io.NopCloser(bytes.NewReader(body))
			units, err := capacity.Units(body)
			s.count(func(u *capacity.Usage) {
				u.Bytes[engine] += int64(len(body))
				if capacity.Reads(call) {
					u.ReadUnits += units
				} else {
					u.WriteUnits += units
				}
			})
			return err
		},
		Connection: s.opened[engine].note,
	})
}

// callHeader is the header of a counted request with the name of its call. The signature does not include it.
const callHeader = "Assay-Test-Call"

// metered changes a request to DynamoDB so that the response states the consumed capacity, and returns its operation. It
// returns "" for polls of settings, which are not caused by items.
func (s *counted) metered(t *testing.T, r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	service, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if bytes.Contains(body, []byte(`"assay-platform"`)) || service != "DynamoDB_20120810" {
		return ""
	}
	body = append([]byte(`{"ReturnConsumedCapacity":"TOTAL",`), bytes.TrimPrefix(body, []byte("{"))...)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	hash := sha256.Sum256(body)
	identity := aws.Credentials{AccessKeyID: s.AccessKey, SecretAccessKey: s.SecretKey}
	if err := v4.NewSigner().SignHTTP(r.Context(), identity, r, hex.EncodeToString(hash[:]), "dynamodb", s.Region, time.Now()); err != nil {
		t.Error(err)
	}
	return operation
}

func (s *counted) count(add func(*capacity.Usage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.used)
}

// published records a published message. It ignores replies of the server and requests to it. The bytes include
// deliveries to workers and messages that the server republishes.
func (s *counted) published(m *nats.Msg) {
	call := ""
	switch {
	case strings.HasPrefix(m.Subject, "$JS.ACK."):
		if string(m.Data) != "+ACK" {
			return
		}
		call = "ack"
	case strings.HasPrefix(m.Subject, "assay-attempt."):
		return // an attempt that takes more than half a second has a record, which depends on the machine
	case strings.HasPrefix(m.Reply, "$JS.ACK."): // delivered to a worker
	case m.Header.Get("Nats-Stream") != "": // republished by the server
	case strings.HasPrefix(m.Subject, "assay-work."):
		call = "assay-work"
	case strings.HasPrefix(m.Subject, "$"), strings.HasPrefix(m.Subject, "_INBOX."), m.Subject == "s3.notice":
		return
	default:
		call = strings.Join(strings.Split(m.Subject, ".")[:3], ".")
	}
	s.count(func(u *capacity.Usage) {
		u.Bytes[capacity.NATS] += int64(m.Size())
		if call != "" {
			u.Calls["nats "+call]++
		}
		if call == "ack" {
			s.acks++
		}
	})
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

// take returns and resets the usage.
func (s *counted) take() capacity.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := s.used
	s.used = capacity.NewUsage()
	return used
}
