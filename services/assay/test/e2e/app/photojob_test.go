package app

import (
	"fmt"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPhotos proves the promises of the photo pages: dropped photos become a batch after the user enters a prompt, whose
// plan is shown, the gallery and the page of a photo show it before and after the edit, and a failed photo can be edited again with another
// prompt.
func TestPhotos(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	b := Start(t)
	p := b.Open(t, s.HTTP, "/photos")
	p.See(t, ".empty h2", "No photos yet")
	p.State(t, "photos-empty")

	p.Drop(t, photo("one.jpg", system.DrawPhoto(t, 1)), photo("two.jpg", system.DrawPhoto(t, 2)))
	p.Click(t, "dialog .phrases button", "black and white")
	p.Wait(t, `document.querySelector("dialog textarea").value === "black and white"`)
	p.See(t, ".plan", "Convert to black and white.")
	p.Click(t, "dialog summary", "More options")
	p.Click(t, "dialog label", "Convert the colors to sRGB")
	p.State(t, "photos-prompt")
	p.Click(t, ".dialog-foot button.primary", "Upload")
	p.Wait(t, `document.querySelectorAll(".tray .completed").length === 2`)
	drawn(t, p, ".photo-tile img", 2)
	p.Click(t, ".tray button", "Clear")
	p.State(t, "photos")
	p.Click(t, "a.photo-tile", "one.jpg")
	drawn(t, p, ".slider img", 2)
	p.See(t, ".facts", "black and white")
	p.See(t, ".facts", "Edited byAssay")
	p.State(t, "photo-done")
	p.Click(t, ".crumbs a", "Batch")
	p.See(t, ".card", "2 of 2 done")
	p.State(t, "photos-batch")

	p.Go(t, "/photos")
	p.Drop(t, photo("three.jpg", system.DrawPhoto(t, 3)))
	p.Eval(t, `const prompt = await new Promise((done) => { const look = () => { const e = document.querySelector("dialog textarea"); if (e) done(e); else setTimeout(look, 20); }; look(); });
		prompt.value = "make me a sandwich"; prompt.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.See(t, ".plan", "Not understood: make me a sandwich")
	p.Click(t, ".dialog-foot button.primary", "Upload")
	p.See(t, ".tray .failed", "three.jpg")
	p.Click(t, ".tray a", "three.jpg")
	p.See(t, ".notice", "make me a sandwich")
	p.State(t, "photo-failed")
	p.Click(t, "button", "Edit again")
	p.Eval(t, `const prompt = document.querySelector("dialog textarea"); prompt.value = "sepia"; prompt.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.Click(t, "dialog button", "Edit")
	drawn(t, p, ".slider img", 2)
}

func photo(name string, content []byte) File {
	return File{Name: name, Type: "image/jpeg", Content: content}
}

// drawn waits until exactly the given number of pictures that match a selector have loaded.
func drawn(t *testing.T, p *Page, selector string, pictures int) {
	t.Helper()
	p.Wait(t, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((e) => e.complete && e.naturalWidth > 0).length === %d`, selector, pictures))
}
