package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestInterruptedUpload: a large upload continues after the server is killed, after the connection is lost, and after
// the page is reloaded, before which the browser asks, and the same file is chosen. The page also shows changes that
// occurred while it was disconnected.
func TestInterruptedUpload(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	s := system.StartServer(t, t.TempDir(), system.ShortLease, "ASSAY_S3_PUBLIC_ENDPOINT="+gate.url)
	gate.in(t, s.System)
	b := Start(t)
	p := b.Open(t, s.HTTP, "/files")
	path := filepath.Join(t.TempDir(), "large.txt")
	content := strings.Repeat("the quick brown fox jumps over the lazy dog and runs away\n", *size<<20/58)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	const partSize = 16 << 20
	p.Choose(t, path)
	gate.pass(t)
	lose := gate.passSome(t)
	s.Program.Kill(t)
	lose()
	p.See(t, ".connection", "Reconnecting")
	p.State(t, "files-reconnecting")
	s.Restart(t)
	missed := upload(t, s.System, p.Owner, "meanwhile.txt", "one two three")
	p.See(t, doneRow, "meanwhile.txt")
	p.Gone(t, ".connection", "Reconnecting")

	gate.pass(t)
	lose = gate.passSome(t)
	lose()
	p.Offline(t, true)
	p.See(t, ".connection", "Offline")
	p.See(t, ".tray li", "waiting for the connection")
	p.Offline(t, false)
	p.Gone(t, ".connection", "Offline")

	p.Click(t, ".tray button", "Pause large.txt")
	p.See(t, ".tray li", "Paused at")
	p.State(t, "files-paused")
	p.Click(t, ".tray button", "Resume large.txt")
	gate.pass(t)
	gate.passSome(t)
	p.Press(t, "\t") // the browser asks only for pages that a user has touched
	p.reload(t, false)
	p.See(t, ".tray .sending", "large.txt")
	p.reload(t, true)
	p.See(t, ".rows .row", "large.txt")
	p.See(t, ".tray h2", "1 unfinished upload")
	p.State(t, "files-unfinished")
	other := filepath.Join(t.TempDir(), "large.txt")
	if err := os.WriteFile(other, []byte("another file of this name"), 0o600); err != nil {
		t.Fatal(err)
	}
	const continues = ".tray .lost input[type=file]"
	p.do(t, chromedp.SetUploadFiles(continues, []string{other}))
	p.See(t, ".toast", "large.txt has changed since")
	gate.open()
	p.do(t, chromedp.SetUploadFiles(continues, []string{path}))
	p.See(t, ".tray .completed", "words")
	parts := (*size<<20 + partSize - 1) / partSize
	if again := Read[int](t, p, `new Set(performance.getEntriesByType("resource").map((e) => new URL(e.name).searchParams.get("partNumber")).filter(Boolean)).size`); again != parts-3 {
		t.Errorf("after the reload, %d parts of %d were sent, want %d", again, parts, parts-3)
	}
	c := s.Client(t, p.Owner)
	page, err := c.ListPage(system.Within(t), client.Listing{OwnerID: p.Owner})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Files) != 2 || page.Files[0].FileName != "meanwhile.txt" && page.Files[1].FileName != "meanwhile.txt" {
		t.Errorf("the files are %+v, want large.txt and %s", page.Files, missed.FileID)
	}
	p.Click(t, ".tray a", "large.txt")
	p.See(t, ".numbers dd", strings.Join(grouped(strings.Count(content, "\n")*12), ","))
}

// droppedAgain: an upload whose page ended continues with one click where the browser can read the dropped file again.
func droppedAgain(t *testing.T, b *Browser, s system.System) {
	through := newHolder(t, s.HTTP)
	p := b.Open(t, through.url, "/files")
	sending := through.hold(func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/v1/files" })
	p.Eval(t, `
		const root = await navigator.storage.getDirectory(), handle = await root.getFileHandle("again.txt", { create: true });
		const to = await handle.createWritable();
		await to.write("four words of text");
		await to.close();
		const file = await handle.getFile();
		const items = [{ kind: "file", webkitGetAsEntry: () => null, getAsFile: () => file, getAsFileSystemHandle: () => Promise.resolve(handle) }];
		const drop = new DragEvent("drop", { bubbles: true, cancelable: true });
		Object.defineProperty(drop, "dataTransfer", { value: { types: ["Files"], items } });
		document.body.dispatchEvent(drop)`)
	sending.await(t, "the upload")
	p.Wait(t, `await new Promise((done) => {
		const open = indexedDB.open("assay");
		open.onsuccess = () => {
			const all = open.result.transaction("uploads").objectStore("uploads").count();
			all.onsuccess = () => { open.result.close(); done(all.result === 1); };
		};
	})`)
	p.Go(t, "/files")
	sending.release()
	p.See(t, ".tray .lost", "It continues where it stopped")
	p.Click(t, ".tray button", "Continue again.txt")
	p.See(t, ".tray .completed", "4 words")
	p.Wait(t, `document.querySelectorAll(".rows .row").length === 1`)
	p.Go(t, "/files")
	p.See(t, doneRow, "again.txt")
	p.Gone(t, ".tray", "")
}
