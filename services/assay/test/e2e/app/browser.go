// Package app proves the promises of the web app in Chromium, against `assay serve`. A Page acts like a user. Each area
// has its own test file.
package app

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	shots = flag.String("app.screenshots", os.Getenv("ASSAY_SCREENSHOTS"), "a directory for screenshots of every page and state")
	timed = flag.Bool("app.timed", false, "check the time limits, which need a machine without other load")
	modes = flag.Bool("app.modes", false, "run axe in every mode; by default, in one of them per state")
	rows  = flag.Int("app.rows", 150, "number of rows in the long list")
	size  = flag.Int("app.size", 64, "size of the interrupted upload in MiB")
)

const wait = 3 * time.Minute // a busy machine can need more than one

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// Start starts a browser and stops it when the test ends. It skips the test if a program that the tests of the web app
// require is missing.
func Start(t *testing.T) *Browser {
	t.Helper()
	program := require(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.Flag("no-sandbox", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en-US"))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
}

// Page is a browser tab with its own storage.
type Page struct {
	Server string
	Owner  string
	rules  string // axe options; empty runs all rules
	ctx    context.Context
	mu     sync.Mutex
	errors []string
}

// Open opens the app at a path as a new owner.
func (b *Browser) Open(t *testing.T, server, path string) *Page {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 5*wait) // the longest tests look at ten states of a large page
	t.Cleanup(cancel)
	p := &Page{Server: server, Owner: system.NewOwner(), ctx: ctx}
	if err := chromedp.Listen(ctx, p.note); err != nil {
		t.Fatal(err)
	}
	p.do(t, chromedp.EmulateViewport(1280, 800))
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.do(t, chromedp.Navigate(server+"/ui/icon.svg"))
	p.Eval(t, fmt.Sprintf(`localStorage.setItem("assay-owner", %q)`, p.Owner))
	p.Go(t, path)
	t.Cleanup(func() {
		if t.Failed() {
			p.save(t, "failed-"+strings.ReplaceAll(t.Name(), "/", "-"))
			t.Logf("the page at the end:\n%s", Read[string](t, p, `document.body.innerText`))
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, e := range p.errors {
			t.Errorf("the page logged: %s", e)
		}
	})
	return p
}

// note records exceptions and logged errors, such as violations of the content security policy.
func (p *Page) note(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		// Chromium asks before a page is left only if a key or the pointer was used on it, which Go does not do.
		asked := strings.HasPrefix(e.Entry.Text, "Blocked attempt to show a 'beforeunload'")
		if e.Entry.Source != log.EntrySourceNetwork && e.Entry.Level == log.EntryLevelError && !asked {
			text = e.Entry.Text
		}
	}
	if text != "" {
		p.mu.Lock()
		p.errors = append(p.errors, text)
		p.mu.Unlock()
	}
}

func (p *Page) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Go loads a path and waits until the page shows its content. Notifications stay until they are dismissed, as if the
// pointer were over them, so that a test on a slow machine has time to undo.
func (p *Page) Go(t *testing.T, path string) {
	t.Helper()
	p.do(t, chromedp.Navigate(p.Server+path))
	p.Settled(t)
	p.Eval(t, `new MutationObserver((changes) => {
		for (const { addedNodes } of changes) for (const e of addedNodes) if (e.matches?.(".toast")) e.dispatchEvent(new MouseEvent("mouseenter"));
	}).observe(document.body, { subtree: true, childList: true })`)
}

// Settled waits until the page has finished loading its content.
func (p *Page) Settled(t *testing.T) {
	t.Helper()
	p.Wait(t, `document.querySelector("h1") && !document.querySelector("main [aria-busy=true]")`)
}

// Read returns the value of a JavaScript expression, which may be a promise.
func Read[T any](t *testing.T, p *Page, expression string) T {
	t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Eval runs JavaScript.
func (p *Page) Eval(t *testing.T, script string) {
	t.Helper()
	Read[bool](t, p, "(async () => { "+script+"; return true; })()")
}

// Wait waits until an expression is true.
func (p *Page) Wait(t *testing.T, expression string) {
	t.Helper()
	if !Read[bool](t, p, fmt.Sprintf(`(async () => {
		const end = performance.now() + %d;
		for (;;) {
			if (%s) return true;
			if (performance.now() > end) return false;
			await new Promise((done) => setTimeout(done, 20));
		}
	})()`, wait.Milliseconds(), expression)) {
		t.Fatalf("not true after %s: %s", wait, expression)
	}
}

// find returns a JavaScript expression for the first visible element that matches a selector and whose label or content
// contains text.
func find(selector, text string) string {
	quoted, _ := json.Marshal(text) // every string can be encoded as JSON
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.getClientRects().length > 0 && ((e.getAttribute("aria-label") ?? "") + " " + e.textContent).includes(%s))`, selector, quoted)
}

// See waits for a visible element that matches a selector and whose label or content contains text.
func (p *Page) See(t *testing.T, selector, text string) {
	t.Helper()
	p.Wait(t, "!!"+find(selector, text))
}

// Gone waits until no visible element matches a selector and contains text.
func (p *Page) Gone(t *testing.T, selector, text string) {
	t.Helper()
	p.Wait(t, "!"+find(selector, text))
}

// Click waits for an element, like See, and clicks it.
func (p *Page) Click(t *testing.T, selector, text string) {
	t.Helper()
	p.Wait(t, "(() => { const e = "+find(selector, text)+"; e?.click(); return !!e; })()") // in one step, since the page may change
}

// Press presses keys. Key and character are one event, so that a page that handles the key prevents the character.
func (p *Page) Press(t *testing.T, keys string, options ...chromedp.KeyOption) {
	t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		if down := events[0]; len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			events = []*input.DispatchKeyEventParams{down, events[2]}
		}
		for _, event := range events {
			for _, option := range options {
				option(event)
			}
			if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, *event); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// File is a file to drop on the page.
type File struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Content []byte `json:"content"`
}

// Drop drops files on the page.
func (p *Page) Drop(t *testing.T, files ...File) {
	t.Helper()
	list, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(t, fmt.Sprintf(`
		const transfer = new DataTransfer();
		for (const { name, type, content } of %s) transfer.items.add(new File([Uint8Array.from(atob(content ?? ""), (c) => c.charCodeAt(0))], name, { type }));
		for (const kind of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }))`, list))
}

// Choose selects local files in the upload dialog and starts the upload.
func (p *Page) Choose(t *testing.T, paths ...string) {
	t.Helper()
	p.Click(t, ".top button", "Upload")
	p.See(t, "dialog button", "Choose files")
	p.do(t, chromedp.SetUploadFiles("dialog input[type=file]", paths))
	p.Wait(t, `document.querySelector(".review li")`)
	p.Click(t, ".dialog-foot button.primary", "Upload")
}

// Phone sets the screen size of a small phone.
func (p *Page) Phone(t *testing.T) {
	t.Helper()
	p.do(t, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
}

// Desktop restores the screen size of a desktop.
func (p *Page) Desktop(t *testing.T) {
	t.Helper()
	p.do(t, chromedp.EmulateViewport(1280, 800))
}

func (p *Page) scheme(t *testing.T, name string) {
	t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(t, "for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done))") // wait until the page is drawn
}

// modesOf are the names of the modes in which State looks at a page.
var modesOf = []string{"light", "dark", "phone", "rtl"}

// State checks the current state of the page: a screen reader reads it in order, axe finds no violation, and neither a
// phone nor a page from right to left shows a horizontal scroll bar. Without -app.modes, axe runs in one of the modes,
// depending on the name of the state. With -app.screenshots it saves a picture of every mode, such as NAME-light.png.
func (p *Page) State(t *testing.T, name string) {
	t.Helper()
	p.Reading(t, name)
	chosen := int(crc32.ChecksumIEEE([]byte(name))) % len(modesOf)
	check := func(number int) {
		if *modes || number == chosen {
			p.axe(t, name+" ("+modesOf[number]+")")
		}
		p.save(t, name+"-"+modesOf[number])
	}
	fits := func(mode string) {
		// Widths are fractions of pixels, and scrollWidth is rounded.
		if over := Read[int](t, p, `document.documentElement.scrollWidth - innerWidth`); over > 1 {
			t.Errorf("%s (%s) is %d px too wide", name, mode, over)
		}
	}
	for number, scheme := range []string{"light", "dark"} {
		p.scheme(t, scheme)
		check(number)
	}
	p.scheme(t, "light")
	p.Phone(t)
	fits("phone")
	check(2)
	p.Eval(t, `document.documentElement.dir = "rtl"`)
	fits("phone, from right to left")
	p.Desktop(t)
	fits("from right to left")
	check(3)
	p.Eval(t, `document.documentElement.dir = ""`)
}

func (p *Page) axe(t *testing.T, state string) {
	t.Helper()
	if !Read[bool](t, p, `"axe" in window`) {
		p.Eval(t, axeScript(t))
	}
	for _, violation := range Read[[]string](t, p, `axe.run(`+p.rules+`).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join("; ")))`) {
		t.Errorf("%s: axe: %s", state, violation)
	}
}

func (p *Page) save(t *testing.T, name string) {
	t.Helper()
	if *shots != "" {
		p.picture(t, filepath.Join(*shots, name+".png"))
	}
}

// picture saves a picture of the page.
func (p *Page) picture(t *testing.T, path string) {
	t.Helper()
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, image, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
