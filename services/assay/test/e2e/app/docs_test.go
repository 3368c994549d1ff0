package app

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestDocs proves that the API page shows example requests, problem types and events, and sends no requests to other
// hosts: anything that the content security policy blocks is an error.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir()).System
	p := Start(t).Open(t, s.HTTP, "/docs")
	look := func(name string) {
		p.Wait(t, settled)
		p.axe(t, name)
		p.save(t, name)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(t, scheme)
		p.docs(t, "/docs", "Assay")
		if dark := Read[bool](t, p, `document.documentElement.classList.contains("dark")`); dark != (scheme == "dark") {
			t.Errorf("with the %s color scheme, dark = %t, want %t", scheme, dark, !dark)
		}
		p.See(t, "h2", "Problems")
		p.See(t, "td", "body-too-large")
		look("docs-" + scheme)
		p.docs(t, "/docs#/files/create-file", "Upload a file")
		p.See(t, ".th-code", "curl")
		look("docs-operation-" + scheme)
		p.docs(t, "/docs/events#/channels/nodechanged", "assay.library.node.")
		p.See(t, "[data-testid=right-panel]", `"report.pdf"`) // in the example payload
		look("docs-events-" + scheme)
	}
	p.Eval(t, `document.querySelector("[data-testid=search-trigger]").focus()`)
	p.Press(t, "\r")
	p.See(t, "[role=dialog]", "Search endpoints")
	look("docs-search")
	p.Press(t, "\x1b")
	p.Gone(t, "[role=dialog]", "Search")

	p.Phone(t)
	p.docs(t, "/docs#/library/create-library-link", "Create a link")
	if over := Read[int](t, p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("the API page is %d px too wide for a phone", over)
	}
	look("docs-phone")
	p.Click(t, "button", "Open navigation menu")
	p.See(t, "[role=navigation] a", "Problems")
	look("docs-phone-menu")
}

// settled is an expression that is true when the viewer has stopped changing the page: it renders the parts of a page, and
// highlights the one that the address names, one after the other.
const settled = `await (async () => {
	const before = document.body.innerHTML.length;
	for (let i = 0; i < 3; i++) { // a busy machine renders late
		await new Promise((done) => requestIdleCallback(done));
		await new Promise((done) => setTimeout(done, 150));
	}
	const ends = (a) => a.playState === "running" && a.effect?.getComputedTiming().iterations !== Infinity;
	return before === document.body.innerHTML.length && !document.getAnimations().some(ends);
})()`

// docs loads a page of the viewer and waits until it shows a heading.
func (p *Page) docs(t *testing.T, path, heading string) {
	t.Helper()
	p.do(t, chromedp.Navigate("about:blank")) // a change of the fragment alone does not load the page
	p.do(t, chromedp.Navigate(p.Server+path))
	p.See(t, "main :is(h1, h2, h3)", heading)
	p.Gone(t, "span", "Loading...") // in the search field
}
