package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFeed proves the promises of the feed page: counters, chart and list show new items without a reload; filters
// combine, are part of the URL and apply to counters and list; and external text is never interpreted as markup.
func TestFeed(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	b := Start(t)
	p := b.Open(t, s.HTTP, "/feed?hours=1")
	p.See(t, ".empty h2", "No items in this time range")
	p.State(t, "feed-empty")

	markup := `<img src=x onerror="window.harmed=1">`
	post(t, s.System, item("reddit", 1, "I love this wonderful release", "go"), item("reddit", 2, "I hate this terrible bug", "go", "bugs"),
		item("twitter", 3, "The meeting is at ten "+markup, "go"), item("newsapi", 4, "A wonderful, excellent day", "weather"))
	p.Wait(t, `document.querySelector(".numbers dd")?.textContent.trim().startsWith("4")`)
	p.See(t, ".rows .row", markup)
	p.See(t, ".feed-numbers div:first-child", "no earlier data")
	p.Gone(t, ".feed-numbers div", "from 0")
	p.Wait(t, `!/\d/.test(document.querySelector(".legend").textContent)`) // the numbers are on the cards
	p.State(t, "feed")
	p.Click(t, ".choice button", "Table")
	p.See(t, "table.plain tbody tr", "4")
	p.State(t, "feed-table")

	p.Click(t, ".card .tag", "go")
	p.Wait(t, `new URLSearchParams(location.search).get("tag") === "go"`)
	shows(t, p, 3)
	p.Eval(t, `const select = [...document.querySelectorAll("select")].find((e) => e.textContent.includes("Any sentiment")); select.value = "negative"; select.dispatchEvent(new Event("change", { bubbles: true }))`)
	shows(t, p, 1)
	p.See(t, ".rows .row", "terrible bug")
	p.Go(t, Read[string](t, p, "location.pathname + location.search")) // the URL can be opened again
	shows(t, p, 1)
	p.State(t, "feed-filtered")
	p.Click(t, ".rows a", "terrible bug")
	p.See(t, "dialog .facts", "reddit#2")
	p.State(t, "feed-item")
	p.Click(t, "dialog button", "Close")
	p.Click(t, ".chosen button", "Clear all")
	shows(t, p, 4)
	p.Eval(t, `window.saved = undefined; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return "#"; }`)
	p.Click(t, "button", "Export CSV")
	p.Wait(t, `window.saved !== undefined`)
	if csv := Read[string](t, p, "window.saved"); strings.Count(csv, "\r\n") != 5 || !strings.Contains(csv, "terrible bug") {
		t.Errorf(`the CSV export is %q, want a header and 4 items, one with "terrible bug"`, csv)
	}
	if Read[bool](t, p, `"harmed" in window || !!document.querySelector("main img")`) {
		t.Error("a text was interpreted as markup")
	}
}

// shows waits until the counters and the list show the given number of items.
func shows(t *testing.T, p *Page, items int) {
	t.Helper()
	p.Wait(t, fmt.Sprintf(`document.querySelector(".numbers dd")?.textContent.trim().match(/^\d+/)?.[0] === "%d" && document.querySelectorAll(".rows .row").length === %d`, items, items))
}

func item(source string, n int, text string, tags ...string) string {
	return fmt.Sprintf(`{"sourceId":"%s#%d","sourceType":%q,"text":%q,"matchedTags":["%s"]}`, source, n, source, text, strings.Join(tags, `","`))
}

func post(t *testing.T, s system.System, items ...string) {
	t.Helper()
	resp, body := s.Ask(t, http.MethodPost, "/v1/feed/items", map[string]string{"Content-Type": "application/json"}, `{"items":[`+strings.Join(items, ",")+`]}`)
	if resp.StatusCode != http.StatusMultiStatus || strings.Count(string(body), `"created"`) != len(items) {
		t.Fatalf("posting %d items returned %s, want 207 and all created: %s", len(items), resp.Status, body)
	}
}
