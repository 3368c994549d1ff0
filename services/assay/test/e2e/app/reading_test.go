package app

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var update = flag.Bool("app.update", false, "rewrite testdata/reading and the picture of README.md from what the pages are")

// TestReadingOrder: a screen reader reads the main pages as testdata/reading states, and announces what changes on them.
func TestReadingOrder(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir()).System
	p := Start(t).Open(t, s.HTTP, "/files")
	p.See(t, ".empty h2", "No text files yet")
	file := upload(t, s, p.Owner, "fish.txt", "One fish, two fish, red fish, blue fish.")
	upload(t, s, p.Owner, "broken.txt", "%PDF-1.7\n%\x00\x01\x02")
	p.See(t, doneRow, "fish.txt")
	p.See(t, ".rows .row:has(.badge.bad)", "broken.txt")
	newFolder(t, s, p.Owner, "Trials")
	table := keep(t, s, p.Owner, "drugs.csv", "", "name,dose\nAspirin,500\nCaffeine,100\n")
	p.Wait(t, `(await fetch("/v1/library/search?q=aspirin", { headers: { "X-Owner-Id": localStorage.getItem("assay-owner") } }).then((r) => r.json())).total === 1`)
	for _, page := range []struct{ name, path, selector, text string }{
		{"home", "/", ".recent li:nth-child(3)", ""},
		{"files", "/files", doneRow, "fish.txt"},
		{"file", "/files/" + file.FileID, ".bars tr", "fish"},
		{"library", "/library", ".rows .row", "drugs.csv"},
		{"records", "/library/" + table.ID + "?tab=records", ".heading .sub", "100 – 500"},
		{"search", "/search?q=aspirin", ".hit a", "Library"},
	} {
		p.Go(t, page.path)
		p.See(t, page.selector, page.text)
		p.reads(t, page.name)
	}
	announcements(t, p)
}

// TestReadmePicture: the page in the picture of README.md is read as testdata/reading/picture.txt states. With -app.update, the
// picture is made again together with it, so that it shows the app as it is.
func TestReadmePicture(t *testing.T) {
	t.Parallel()
	molecules, err := os.ReadFile("../../../../../pkg/extract/structure/rdkit/testdata/molecules.sdf")
	if err != nil {
		t.Fatal(err)
	}
	s := system.StartServer(t, t.TempDir()).System
	p := Start(t).Open(t, s.HTTP, "/library")
	file := keep(t, s, p.Owner, "molecules.sdf", newFolder(t, s, p.Owner, "Chemistry").ID, string(molecules))
	p.scheme(t, "light")
	p.do(t, chromedp.EmulateViewport(1280, 720))
	p.Go(t, "/library/"+file.ID)
	drawn(t, p, ".drawings img", strings.Count(string(molecules), "$$$$"))
	p.reads(t, "picture")
	if *update {
		p.picture(t, "../../../../../docs/images/library.png")
	}
}

// announcements: what changes without a new page is in a live region, and a new page has the focus on its heading or is
// announced.
func announcements(t *testing.T, p *Page) {
	t.Helper()
	p.Go(t, "/files")
	p.Click(t, ".rows button", "Actions for broken.txt")
	p.Click(t, "[role=menuitem]", "Delete")
	p.announced(t, "Deleted broken.txt")
	p.Drop(t, text("dropped.txt", "one two"))
	p.See(t, ".tray .completed", "dropped.txt")
	p.announced(t, "1 upload done")
	p.Eval(t, `document.querySelector(".nav a[href='/library']").focus()`)
	p.Press(t, "\r")
	p.See(t, "h1", "Library")
	p.announced(t, "Library")
	p.See(t, ".rows .name", "drugs.csv")
	p.Eval(t, find(".rows .name", "drugs.csv")+".focus()")
	p.Press(t, "\r")
	p.See(t, "h1", "drugs.csv")
	p.Wait(t, `document.activeElement?.id === "title"`)
	p.Offline(t, true)
	p.announced(t, "Offline")
	p.Offline(t, false)
}

// announced waits until a live region contains a text.
func (p *Page) announced(t *testing.T, text string) {
	t.Helper()
	p.See(t, ":is([role=status], [role=alert], [aria-live=polite], [aria-live=assertive])", text)
	depth := -1 // of the live region
	for _, s := range p.read(t) {
		if s.depth <= depth {
			depth = -1
		}
		if depth < 0 && (s.live == "polite" || s.live == "assertive") {
			depth = s.depth
		}
		if depth >= 0 && strings.Contains(s.name, text) {
			return
		}
	}
	t.Errorf("no live region of the accessibility tree contains %q", text)
}

// varies matches the parts of a reading that differ from run to run.
var varies = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\d+ (seconds?|minutes?) ago|just now|(\w{3} \d+, \d{4}, )?\d+:\d\d(:\d\d)? [AP]M|[\d.,]+ m?s\b|\b20\d\d\b`)

// reads compares the reading of the page with the one in testdata/reading.
func (p *Page) reads(t *testing.T, name string) {
	t.Helper()
	p.Reading(t, name)
	got := p.reading(t)
	path := filepath.Join("testdata", "reading", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// What the page loads last can follow.
	for end := time.Now().Add(wait / 6); got != string(want) && time.Now().Before(end); {
		got = p.reading(t)
	}
	if got != string(want) {
		t.Errorf("the page %s is read as\n%s\nwant\n%s\nif it is meant, run with -app.update", name, got, want)
	}
}

// reading returns the lines that are read of the page, without what differs from run to run.
func (p *Page) reading(t *testing.T) string {
	t.Helper()
	var lines strings.Builder
	for _, s := range p.read(t) {
		fmt.Fprintf(&lines, "%s%s\n", strings.Repeat("  ", s.depth), s)
	}
	return strings.ReplaceAll(varies.ReplaceAllString(lines.String(), "…"), p.Owner, "OWNER")
}
