package identity

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// credentialsAreRevoked: three processes accept a key and a session created with it, record the use of the key, and
// reject both within 5 seconds after it is revoked. Live events contain only events of the owner, and the stream ends
// when the key is revoked. The audit log records the write operations of operators.
func credentialsAreRevoked(t *testing.T, w *world) {
	w.checkStreams(t)
	w.checkRevocation(t)
	w.checkAudit(t)
	w.checkLogs(t)
}

// within is the maximum time until a process rejects a revoked key.
const within = 5 * time.Second

// live is an open stream of live events.
type live struct {
	mu    sync.Mutex
	text  strings.Builder
	ended chan struct{}
}

// follow opens a stream, which is closed when the test ends.
func (w *world) follow(t *testing.T, token, path string) *live {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, w.HTTP+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := system.Checked(&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s returned %s, want 200", path, resp.Status)
	}
	l := &live{ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			l.mu.Lock()
			l.text.WriteString(lines.Text() + "\n")
			l.mu.Unlock()
		}
	}()
	return l
}

func (l *live) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until the stream contains text.
func (l *live) await(t *testing.T, text string) {
	t.Helper()
	system.Eventually(t, func() error {
		if sent := l.String(); !strings.Contains(sent, text) {
			return fmt.Errorf("the stream does not contain %q: %s", text, sent)
		}
		return nil
	})
}

// checkStreams checks that open streams of another owner contain no events of anna. Streams are ordered, so events of
// anna would precede an event that the other owner causes later.
func (w *world) checkStreams(t *testing.T) {
	t.Helper()
	root := func(token string) string {
		var node struct{ ID string }
		_, text := w.ask(t, token, http.MethodGet, w.HTTP+"/v1/library/nodes/root", "")
		system.Decode(t, text, &node)
		return "/v1/library/nodes/" + node.ID + "/events"
	}
	folder := func(token, name string) string {
		status, text := w.ask(t, token, http.MethodPost, w.HTTP+"/v1/library/folders", `{"name":"`+name+`"}`)
		var made struct{ ID string }
		if system.Decode(t, text, &made); status != http.StatusCreated {
			t.Fatalf("creating a folder returned %d, want 201: %s", status, text)
		}
		return made.ID
	}
	upload := func(token, name string) string {
		body, kind := system.Form(`form-data; name="file"; filename="`+name+`.txt"`, "text/plain", "a few words")
		req, err := http.NewRequestWithContext(system.Within(t), http.MethodPost, w.HTTP+"/v1/files", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", kind)
		resp, text := w.send(t, req)
		var made struct{ FileID string }
		if system.Decode(t, text, &made); resp.StatusCode != http.StatusAccepted {
			t.Fatalf("the upload returned %s, want 202: %s", resp.Status, text)
		}
		return made.FileID
	}
	folder(w.bob, "first") // creates the root folder
	files, nodes := w.follow(t, w.bob, "/v1/events?owner=bob"), w.follow(t, w.bob, root(w.bob))
	annasFiles, annasNodes := w.follow(t, w.anna, "/v1/events?owner="+w.annasOwner), w.follow(t, w.anna, root(w.anna))
	w.items["second file"] = upload(w.anna, marker)
	w.items["second folder"] = folder(w.anna, marker+"-second")
	annasFiles.await(t, w.items["second file"])
	annasNodes.await(t, w.items["second folder"])
	files.await(t, upload(w.bob, "plain"))
	nodes.await(t, folder(w.bob, "plain"))
	for _, stream := range []*live{files, nodes} {
		w.leaksNothing(t, "", stream.String())
	}
}

// place is a process that accepts credentials, with a call that only operators may make.
type place struct {
	name, method, url string
	accepted          int // status of the call with valid credentials
}

func (w *world) places() []place {
	return []place{
		{"ingest", http.MethodGet, w.ingest.Operator + "/v1/keys", http.StatusOK}, {"query", http.MethodGet, w.query.Operator + "/v1/status", http.StatusOK},
		{"analyzer", http.MethodPost, w.analyzer.Operator + "/v1/photo-providers/none/check", http.StatusNotFound},
	}
}

// checkRevocation revokes a key that three processes accept, directly and in a session, and checks that they reject
// both.
func (w *world) checkRevocation(t *testing.T) {
	t.Helper()
	status, body := w.ask(t, w.operator, http.MethodPost, w.Operator+"/v1/keys", `{"owner":"ops","operator":true}`)
	var key struct{ ID, Token string }
	if system.Decode(t, body, &key); status != http.StatusCreated {
		t.Fatalf("creating a key returned %d, want 201: %s", status, body)
	}
	resp, body := w.exchange(t, "", http.MethodPost, w.HTTP+"/v1/session", `{"key":"`+key.Token+`"}`)
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if resp.StatusCode != http.StatusNoContent || cookie == "" {
		t.Fatalf("creating a session returned %s, want 204 and a cookie: %s", resp.Status, body)
	}
	try := func(at place, header, value string) int {
		req, err := http.NewRequestWithContext(system.Within(t), at.method, at.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(header, value)
		resp, _ := w.send(t, req)
		return resp.StatusCode
	}
	proofs := map[string]string{"Authorization": "Bearer " + key.Token, "Cookie": cookie}
	for _, at := range w.places() {
		for header, value := range proofs {
			if status := try(at, header, value); status != at.accepted {
				t.Errorf("%s returned %d for a valid key in %s, want %d", at.name, status, header, at.accepted)
			}
		}
	}
	var keys struct {
		Keys []struct{ ID, Status, LastUsedAt string }
	}
	_, body = w.ask(t, w.operator, http.MethodGet, w.Operator+"/v1/keys?owner=ops", "")
	if system.Decode(t, body, &keys); len(keys.Keys) != 1 || keys.Keys[0].ID != key.ID || keys.Keys[0].LastUsedAt == "" {
		t.Errorf("the keys are %s, want the key with its last use", body)
	}
	stream := w.follow(t, key.Token, "/v1/events?owner=ops")

	if status, body := w.ask(t, w.operator, http.MethodDelete, w.Operator+"/v1/keys/"+key.ID, ""); status != http.StatusNoContent {
		t.Fatalf("revoking a key returned %d, want 204: %s", status, body)
	}
	revoked := time.Now()
	var polls sync.WaitGroup
	for _, at := range w.places() {
		for header, value := range proofs {
			polls.Go(func() {
				pause := time.NewTicker(50 * time.Millisecond)
				defer pause.Stop()
				for {
					asked := <-pause.C // the start of the request
					switch status := try(at, header, value); {
					case status == http.StatusUnauthorized:
						t.Logf("%s rejects a revoked key in %s after %s", at.name, header, asked.Sub(revoked).Round(time.Millisecond))
						return
					case status != at.accepted:
						t.Errorf("%s returned %d for a revoked key in %s, want 401", at.name, status, header)
						return
					case asked.Sub(revoked) > within:
						t.Errorf("%s accepts a revoked key in %s after %s, want 401 within %s", at.name, header, asked.Sub(revoked), within)
						return
					}
				}
			})
		}
	}
	polls.Wait()
	select {
	case <-stream.ended:
		t.Logf("the stream of a revoked key ended within %s", time.Since(revoked).Round(time.Millisecond))
	case <-time.After(time.Until(revoked.Add(within))):
		t.Errorf("the stream of a revoked key is still open after %s", within)
	}
}
