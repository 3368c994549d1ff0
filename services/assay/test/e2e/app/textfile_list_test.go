package app

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// sortedList: the list shows words, different words and sizes, also of files whose uploads did not state their size. The headers
// sort all files, not only those that are loaded, and the order is in the address.
func sortedList(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	c := s.Client(t, p.Owner)
	const waiting = 120 // more than the first page
	upload(t, s, p.Owner, "many.txt", strings.Repeat("one two two ", 100))
	for range waiting {
		if _, err := c.Reserve(t.Context(), client.Reservation{FileName: "waiting.txt", Size: 2, ContentType: "text/plain"}); err != nil {
			t.Fatal(err)
		}
	}
	upload(t, s, p.Owner, "few.txt", "one two three")
	p.Eval(t, `const form = new FormData();
		form.append("file", new File(["one two two three"], "form.txt", { type: "text/plain" }));
		await fetch("/v1/files", { method: "POST", headers: { "X-Owner-Id": "`+p.Owner+`" }, body: form })`)
	p.Go(t, "/files")
	shows := func(row, want string) {
		t.Helper()
		p.Wait(t, `[".cell-words", ".cell-unique", ".cell-size"].map((of) => document.querySelector("`+row+` " + of)?.textContent).join() === "`+want+`"`)
	}
	shows(".rows .row:first-child", "4,3,17 B") // without a stated size
	p.Click(t, ".head .sort", "Words")
	p.See(t, ".rows .row:first-child", "many.txt") // of the second page
	shows(".rows .row:first-child", "300,2,1.2 kB")
	shows(".rows .row:nth-child(3)", "3,3,13 B")
	p.Wait(t, `location.search === "?sort=-words" && document.querySelector("[role=columnheader][aria-sort=descending]").textContent === "Words"`)
	p.State(t, "files-sorted")
	p.Click(t, ".head .sort", "Words")
	p.See(t, ".rows .row:first-child", "few.txt")
	p.Go(t, "/files?sort=-size")
	p.See(t, ".rows .row:first-child", "many.txt")
	upload(t, s, p.Owner, "larger.txt", strings.Repeat("word ", 400))
	p.See(t, ".rows .row:first-child", "larger.txt") // without a reload
	p.Click(t, ".head .sort", "Uploaded")
	p.Wait(t, `location.search === ""`)
	p.See(t, ".rows .row:first-child", "larger.txt")
}
