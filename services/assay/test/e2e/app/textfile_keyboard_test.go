package app

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// hasFocus returns a JavaScript expression that reports whether an element whose label or content contains text has the
// focus.
func hasFocus(text string) string {
	return fmt.Sprintf(`document.activeElement !== document.body && ((document.activeElement.getAttribute("aria-label") ?? "") + document.activeElement.textContent).includes(%q)`, text)
}

func focused(t *testing.T, p *Page, text string) {
	t.Helper()
	p.Wait(t, hasFocus(text))
}

// keyboardOnly: a user opens a file, uses its menu, and opens and closes the upload dialog with the keyboard only.
func keyboardOnly(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	upload(t, s, p.Owner, "keys.txt", "one two")
	p.See(t, doneRow, "keys.txt")
	p.Eval(t, `document.activeElement.blur()`)
	p.Press(t, kb.Tab)
	focused(t, p, "Skip to content")
	p.Press(t, kb.Enter)
	focused(t, p, "Text files")
	until := func(text string) {
		t.Helper()
		for range 20 {
			p.Press(t, kb.Tab)
			if Read[bool](t, p, hasFocus(text)) {
				if !Read[bool](t, p, `document.activeElement.matches(":focus-visible")`) {
					t.Errorf("%s does not show a focus indicator", text)
				}
				return
			}
		}
		t.Fatalf("the tab key does not reach %s", text)
	}
	until("keys.txt")
	until("Actions for keys.txt")
	p.Press(t, kb.Enter)
	focused(t, p, "Download")
	p.State(t, "files-menu")
	p.Press(t, kb.ArrowDown)
	focused(t, p, "Delete")
	p.Press(t, kb.Escape)
	focused(t, p, "Actions for keys.txt")
	p.Press(t, kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))
	focused(t, p, "keys.txt")
	p.Press(t, kb.Enter)
	p.See(t, "h1", "keys.txt")
	until("Upload")
	p.Press(t, kb.Enter)
	p.See(t, "dialog h2", "Upload")
	p.Press(t, kb.Escape)
	p.Wait(t, `!document.querySelector("dialog")`)
	focused(t, p, "Upload")
}

// shortcuts: single keys search, move in a list, open an item, upload, and list the shortcuts; in a field they are text.
func shortcuts(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	for i := range 3 {
		upload(t, s, p.Owner, fmt.Sprintf("keys-%d.txt", i), "one two")
		p.See(t, doneRow, fmt.Sprintf("keys-%d.txt", i))
	}
	p.Press(t, "?")
	p.See(t, "dialog h2", "Keyboard shortcuts")
	p.State(t, "shortcuts")
	p.Press(t, kb.Escape)
	p.Wait(t, `!document.querySelector("dialog")`)
	for _, step := range []struct{ key, name string }{
		{"j", "keys-2.txt"}, {"j", "keys-1.txt"}, {"j", "keys-0.txt"}, {"j", "keys-0.txt"}, {"k", "keys-1.txt"},
	} {
		p.Press(t, step.key)
		focused(t, p, step.name)
	}
	p.Press(t, kb.Enter)
	p.See(t, "h1", "keys-1.txt")
	p.Press(t, "/") // the page has no field
	p.See(t, "h1", "Search")
	p.Wait(t, `document.activeElement?.name === "q"`)
	p.Go(t, "/files")
	p.Press(t, "/")
	p.Wait(t, `document.activeElement?.type === "search"`)
	p.Press(t, "u2j?/")
	p.Wait(t, `document.activeElement.value === "u2j?/" && !document.querySelector("dialog")`)
	p.Eval(t, `document.activeElement.blur()`)
	p.Press(t, "u")
	p.See(t, "dialog h2", "Upload")
}
