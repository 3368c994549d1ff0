package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// filesOfFolder matches the requests of a folder's list for a page of its files: the first one, or another one.
func filesOfFolder(another bool) func(*http.Request) bool {
	return func(r *http.Request) bool {
		query := r.URL.Query()
		return strings.HasSuffix(r.URL.Path, "/children") && query.Get("type") == "File" && query.Has("cursor") == another
	}
}

// endless: a list of several pages shows every item exactly once when items are added, renamed and removed while a page
// is being read and between pages, above, within and below the part that has been read.
func endless(t *testing.T, b *Browser, s system.System) {
	through := newHolder(t, s.HTTP)
	p := b.Open(t, through.url, "/")
	c, ids := s.Client(t, p.Owner), map[string]string{}
	add := func(name string) {
		t.Helper()
		made, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: 1})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = made.ID
	}
	rename := func(name, to string) {
		t.Helper()
		if _, err := c.ChangeNode(system.Within(t), ids[name], client.NodeChange{Name: &to}); err != nil {
			t.Fatal(err)
		}
		ids[to] = ids[name]
		delete(ids, name)
	}
	remove := func(name string) {
		t.Helper()
		if err := c.TrashNode(system.Within(t), ids[name]); err != nil {
			t.Fatal(err)
		}
		delete(ids, name)
	}
	const pages, page = 3, 100
	for i := range (pages-1)*page + page/2 {
		add(row(i))
	}
	p.Go(t, "/library")
	p.Wait(t, fmt.Sprintf(`document.querySelector("[role=table]")?.getAttribute("aria-rowcount") === "%d"`, page+1))

	// The end becomes visible while the list is reloaded because of a change, which does not change the number of rows.
	reload := through.hold(filesOfFolder(false))
	rename(row(5), row(5)+" renamed")
	reload.await(t, "the reload after a change")
	p.Eval(t, `scrollTo(0, document.documentElement.scrollHeight)`)
	p.See(t, ".rows .name", row(page-1))
	second := through.hold(filesOfFolder(true))
	reload.release()
	second.await(t, "the request for the second page")

	// Items change while the second page is read.
	add(row(50) + " added")
	remove(row(7))
	rename(row(60), row(page+60)+" moved")
	second.release()
	p.Wait(t, fmt.Sprintf(`Number(document.querySelector("[role=table]").getAttribute("aria-rowcount")) > %d + 30`, page))

	// Items change between pages: within the rows that have been read, and below them.
	remove(row(page + 5))
	add(row(page+20) + " added")
	add(row(pages*page) + " added")
	names := []string{}
	for name := range ids {
		names = append(names, name)
	}
	slices.Sort(names)
	var seen []string
	for deadline := time.Now().Add(wait); !slices.Equal(seen, names); {
		if time.Now().After(deadline) {
			t.Fatalf("after scrolling through the list: got %d rows, want each of these %d once:\n%q\nwant:\n%q", len(seen), len(names), seen, names)
		}
		seen = p.scrollThrough(t)
	}
	p.See(t, ".list-end", fmt.Sprintf("%d items", len(names)))
}

func row(i int) string { return fmt.Sprintf("row %03d.txt", i) }

// scrollThrough scrolls through a list from its first row to its last, and returns the names of all rows in the order in
// which they are shown. The result is empty if the rows have changed meanwhile.
func (p *Page) scrollThrough(t *testing.T) []string {
	t.Helper()
	return Read[[]string](t, p, `(async () => {
		const names = new Map();
		let moved = false;
		scrollTo(0, 0);
		for (let before = -1; before !== scrollY; ) {
			before = scrollY;
			for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
			for (const row of document.querySelectorAll(".rows .row")) {
				const at = Number(row.getAttribute("aria-rowindex")), name = row.querySelector(".name").textContent;
				moved ||= names.has(at) && names.get(at) !== name;
				names.set(at, name);
			}
			scrollBy(0, 400);
		}
		return moved ? [] : [...names].sort(([a], [b]) => a - b).map(([, name]) => name);
	})()`)
}
