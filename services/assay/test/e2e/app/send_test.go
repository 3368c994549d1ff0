package app

import (
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestSend proves that the pages of items send them to other areas, and lead to the new items.
func TestSend(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	b := Start(t)
	p := b.Open(t, s.HTTP, "/files")
	act := func(label string) {
		t.Helper()
		p.Click(t, `button[aria-label="More actions"]`, "")
		p.Click(t, "[role=menuitem]", label)
		p.Click(t, ".toast a", "Open")
		p.Gone(t, ".toast a", "Open")
	}
	p.Drop(t, text("poem.txt", "one two two"))
	p.Click(t, ".tray a", "poem.txt")
	p.See(t, ".numbers", "Unique words")
	act("Add to library")
	p.See(t, ".file-lead", "Text")
	p.Wait(t, `location.pathname.startsWith("/library/")`)
	p.See(t, "h1", "poem.txt")
	act("Count words")
	p.Wait(t, `location.pathname.startsWith("/files/")`)
	p.See(t, ".numbers", "Unique words")

	p.Go(t, "/files")
	p.Drop(t, text("paper.txt", twoPages)) // not a text
	p.Click(t, ".tray a", "paper.txt")
	p.Click(t, ".page-head .button", "Add to library")
	p.Click(t, ".toast a", "Open")
	p.See(t, ".file-lead", "PDF")

	c := s.Client(t, p.Owner)
	job := system.SendPhoto(t, c, "as png", system.DrawPhoto(t, 11))
	system.AwaitPhoto(t, c, job.JobID, client.Completed)
	p.Go(t, "/photos/"+job.JobID)
	drawn(t, p, ".slider img", 2)
	act("Add to library")
	p.Wait(t, `location.pathname.startsWith("/library/")`)
	p.See(t, "h1", "a photo.png")
	act("Edit photo")
	p.Wait(t, `location.pathname.startsWith("/photos/") && !location.pathname.endsWith("`+job.JobID+`")`)
	drawn(t, p, ".slider img", 2)
	p.Click(t, "button", "Edit again")
	p.Eval(t, `const prompt = document.querySelector("dialog textarea"); prompt.value = "sepia"; prompt.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.Click(t, "dialog button", "Edit")
	p.Click(t, ".toast a", "Open")
	p.See(t, ".facts", "sepia")
	drawn(t, p, ".slider img", 2)

	for _, key := range s.PhotoKeys(t, job.JobID)[system.PhotoTemp] {
		s.RemoveObject(t, system.PhotoTemp, key)
	}
	p.Go(t, "/photos/"+job.JobID)
	drawn(t, p, ".slider img", 2)
	p.Click(t, `button[aria-label="More actions"]`, "")
	p.Click(t, "[role=menuitem]", "Add the original to library")
	p.See(t, ".toast.bad", "The uploaded photo has been removed. Upload it again.")
	p.State(t, "photo-not-sent")
}
