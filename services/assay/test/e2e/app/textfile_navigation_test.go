package app

import (
	"fmt"
	"testing"

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
