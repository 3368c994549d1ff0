package app

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Offline disconnects the page from the network, or reconnects it.
func (p *Page) Offline(t *testing.T, offline bool) {
	t.Helper()
	_, err := chromedp.Call(p.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}},
	})
	if err == nil { // also set navigator.onLine
		_, err = chromedp.Call(p.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// reload reloads the page during an upload. The browser asks before the page is left, and the user answers.
func (p *Page) reload(t *testing.T, leave bool) {
	t.Helper()
	asked := make(chan struct{}, 1)
	err := chromedp.Listen(p.ctx, func(event any) {
		if dialog, ok := event.(*page.EventJavascriptDialogOpening); ok && dialog.Type == page.DialogTypeBeforeunload {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(p.ctx, page.Enable, page.EnableParams{})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(t, `setTimeout(() => location.reload())`)
	within(t, asked, "the question before the page is left")
	if _, err := chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: leave}); err != nil {
		t.Fatal(err)
	}
	if leave {
		p.arrive(t, `document.querySelector(".tray .lost")`)
	}
}

// arrive waits until an expression is true on the page that a navigation opens. Evaluations during the navigation can
// fail.
func (p *Page) arrive(t *testing.T, expression string) {
	t.Helper()
	for end := time.Now().Add(wait); ; {
		there, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && there {
			p.Settled(t)
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not true after %s: %s (%v)", wait, expression, err)
		}
	}
}

// holder is a proxy in front of a server that holds single requests.
type holder struct {
	url     string
	through *httputil.ReverseProxy
	next    atomic.Pointer[held]
}

// held is a request that the proxy holds until the test releases it or the page cancels it.
type held struct {
	matches            func(*http.Request) bool
	arrived, forwarded chan struct{}
	release            func()
}

func newHolder(t *testing.T, server string) *holder {
	h := &holder{through: system.Forward(t, server)}
	front := httptest.NewServer(h)
	t.Cleanup(front.Close)
	h.url = front.URL
	return h
}

// hold holds the next request that matches.
func (h *holder) hold(matches func(*http.Request) bool) *held {
	x := &held{matches: matches, arrived: make(chan struct{}), forwarded: make(chan struct{})}
	x.release = sync.OnceFunc(func() { close(x.forwarded) })
	h.next.Store(x)
	return x
}

// await waits until the request has arrived.
func (x *held) await(t *testing.T, what string) {
	t.Helper()
	within(t, x.arrived, what)
}

func (h *holder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if x := h.next.Load(); x != nil && x.matches(r) && h.next.CompareAndSwap(x, nil) {
		close(x.arrived)
		select {
		case <-x.forwarded:
		case <-r.Context().Done():
		}
	}
	h.through.ServeHTTP(w, r)
}

// gate is a proxy in front of the bucket that holds the parts of uploads until the test releases them, so that the
// progress of an upload does not depend on the speed of the machine.
type gate struct {
	url    string // the public endpoint of the bucket
	bucket atomic.Pointer[httputil.ReverseProxy]
	held   chan *part
	opened chan struct{}
	open   func() // releases all parts
}

// part is a held request.
type part struct {
	limit chan int64    // number of bytes to release; sent once
	at    chan struct{} // closed when they have been released
	cut   chan struct{} // closed to cut the connection
	ended chan int      // status of the response, or 0
}

const everything = 1 << 40 // bytes

func newGate(t *testing.T) *gate {
	g := &gate{held: make(chan *part), opened: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.opened) })
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(g.open)
	g.url = server.URL
	return g
}

// in places the gate in front of the bucket of a server.
func (g *gate) in(t *testing.T, s system.System) {
	t.Helper()
	to := system.Forward(t, s.S3)
	to.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) } // the connection is lost
	g.bucket.Store(to)
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut || !r.URL.Query().Has("partNumber") {
		g.bucket.Load().ServeHTTP(w, r)
		return
	}
	p := &part{limit: make(chan int64, 1), at: make(chan struct{}), cut: make(chan struct{}), ended: make(chan int, 1)}
	select {
	case g.held <- p:
		r.Body = &limited{ReadCloser: r.Body, part: p, left: <-p.limit, opened: g.opened}
	case <-g.opened:
	}
	seen := &statusWriter{ResponseWriter: w}
	defer func() { p.ended <- seen.status }()
	g.bucket.Load().ServeHTTP(seen, r)
}

// pass releases one part and returns once it is stored. It skips parts that the page cancels in the meantime.
func (g *gate) pass(t *testing.T) {
	t.Helper()
	for {
		p := g.next(t)
		p.limit <- everything
		if status := within(t, p.ended, "the response to a part"); status == http.StatusOK {
			return
		}
	}
}

// passSome releases some bytes of a part and returns a function that closes its connection.
func (g *gate) passSome(t *testing.T) (cut func()) {
	t.Helper()
	for {
		p := g.next(t)
		p.limit <- 1 << 20 // less than the smallest part, the last one
		select {
		case <-p.at:
			return sync.OnceFunc(func() { close(p.cut) })
		case <-p.ended: // canceled
		case <-time.After(wait):
			t.Fatalf("no part was sent within %s", wait)
		}
	}
}

func (g *gate) next(t *testing.T) *part {
	t.Helper()
	return within(t, g.held, "a part")
}

func within[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(wait):
		t.Fatalf("%s did not arrive within %s", what, wait)
		panic("unreachable")
	}
}

// limited is the body of a request that is cut off after some bytes.
type limited struct {
	io.ReadCloser
	part   *part
	left   int64
	opened <-chan struct{}
}

var errCut = errors.New("the test closed the connection")

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		close(l.part.at)
		select {
		case <-l.part.cut:
		case <-l.opened:
		}
		return 0, errCut
	}
	n, err := l.ReadCloser.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
