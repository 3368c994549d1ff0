package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// back: the way back leads to the place in the list where the user left it, also below the first page of the list, and
// an address that does not exist has a page that leads back to the app.
func back(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/")
	c := s.Client(t, p.Owner)
	for i := range 130 {
		if _, err := c.Reserve(t.Context(), client.Reservation{FileName: fmt.Sprintf("row-%d.txt", i), Size: 1, ContentType: "text/plain"}); err != nil {
			t.Fatal(err)
		}
	}
	p.Go(t, "/files")
	p.Wait(t, `(scrollTo(0, 99999), !!document.querySelector(".list-end"))`)
	at := Read[int](t, p, `scrollY`)
	p.Click(t, ".rows a", "row-3.txt")
	p.See(t, "h1", "row-3.txt")
	p.Wait(t, `scrollY === 0`)
	p.Eval(t, `history.back()`)
	p.See(t, ".rows .name", "row-3.txt")
	p.Wait(t, fmt.Sprintf(`scrollY === %d`, at))
	p.Go(t, "/nothing/here")
	p.See(t, ".empty h2", "There is no page at this address")
	p.State(t, "missing")
	p.Click(t, ".empty a", "Go to the start page")
	p.See(t, "h1", "Upload anything")
}

// offline: a page that could not be read without a connection is read when the connection is back.
func offline(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	file := upload(t, s, p.Owner, "read.txt", "one two")
	p.Click(t, ".rows a", "read.txt") // so that the script of the page is loaded
	p.See(t, ".numbers dd", "2")
	p.Eval(t, `history.back()`)
	p.See(t, doneRow, "read.txt")
	p.Offline(t, true)
	p.Click(t, ".rows a", "read.txt")
	p.See(t, ".empty h2", "Could not load the file")
	p.Offline(t, false)
	p.See(t, ".numbers dd", "2")
	p.Wait(t, fmt.Sprintf(`location.pathname === "/files/%s"`, file.FileID))
}

// left: a page that was left has no live events, although the browser keeps it for the way back, where it has them again.
// Otherwise the streams of a few pages take all connections that a browser opens to a server.
func left(t *testing.T, b *Browser, s system.System) {
	const soon = 30 * time.Second // the browser ends the requests of a page that it keeps after a minute
	through := system.Forward(t, s.HTTP)
	var streams atomic.Int32
	changed := make(chan struct{}, 1)
	count := func(by int32) {
		streams.Add(by)
		select {
		case changed <- struct{}{}:
		default: // has not been received
		}
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			count(1)
			defer count(-1)
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p := b.Open(t, front.URL, "/files")
	for _, path := range []string{"/account", "/files", "/account", "/files"} {
		p.Go(t, path)
	}
	p.See(t, ".empty h2", "No text files yet")
	for late := time.After(soon); streams.Load() != 1; {
		select {
		case <-changed:
		case <-late:
			t.Fatalf("%d streams are open, want that of the page", streams.Load())
		}
	}
	p.Eval(t, `history.back()`)
	p.arrive(t, `location.pathname === "/account"`)
	p.Eval(t, `history.back()`)
	p.arrive(t, `location.pathname === "/files"`)
	upload(t, s, p.Owner, "later.txt", "one two")
	p.See(t, doneRow, "later.txt")
}
