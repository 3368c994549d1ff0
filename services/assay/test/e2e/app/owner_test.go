package app

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestLocalOwner proves that a browser on the machine of the server shows the files of the command line, unless another owner was
// chosen in it.
func TestLocalOwner(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_OWNER=of-the-command-line").System
	upload(t, s, "of-the-command-line", "from-a-terminal.txt", "one two three")
	p := Start(t).Open(t, s.HTTP, "/files")
	p.See(t, ".empty h2", "No text files yet") // the owner that was chosen
	p.Eval(t, `localStorage.clear()`)
	p.Go(t, "/files")
	p.See(t, doneRow, "from-a-terminal.txt")
	p.Drop(t, text("from-the-page.txt", "one two"))
	p.See(t, doneRow, "from-the-page.txt")
	p.Go(t, "/files")
	p.See(t, doneRow, "from-the-page.txt")
	p.Wait(t, `localStorage.getItem("assay-owner") === null`)
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "Owner …")
	p.Wait(t, `document.querySelector("dialog input").value === "of-the-command-line"`)
}
