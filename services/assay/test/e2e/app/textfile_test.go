package app

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// doneRow is a selector for the rows of processed files.
const doneRow = ".rows .row:has(.badge.good)"

// TestTextFiles proves the promises of the text file pages on one server.
func TestTextFiles(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	b := Start(t)
	for name, prove := range map[string]func(*testing.T, *Browser, system.System){
		"from a drop to the result": dropToResult,
		"live":                      liveUpdate,
		"hostile names":             hostileNames,
		"keyboard only":             keyboardOnly,
		"delete and undo":           deleteAndUndo,
		"long list":                 longList,
		"sorted list":               sortedList,
		"failures":                  failures,
		"paste":                     paste,
		"account":                   account,
		"start and settings":        startAndSettings,
		"pictures":                  pictures,
		"dropped again":             droppedAgain,
		"shortcuts":                 shortcuts,
		"recent items":              recentItems,
		"back":                      back,
		"offline":                   offline,
		"left":                      left,
	} {
		t.Run(name, func(t *testing.T) { prove(t, b, s.System) })
	}
}

func text(name, content string) File {
	return File{Name: name, Type: "text/plain", Content: []byte(content)}
}

func upload(t *testing.T, s system.System, owner, name, content string) client.File {
	t.Helper()
	c := s.Client(t, owner)
	file, err := c.Upload(system.Within(t), system.Source(name, content))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// dropToResult: a text dropped anywhere on the page is uploaded immediately, and the page shows the result that the API
// returns.
func dropToResult(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	p.See(t, ".empty h2", "No text files yet")
	p.State(t, "files-empty")
	p.Go(t, "/")
	const words = 700 // about 4 KB
	content := system.RandomText(5, words)
	// The median time that the API alone takes, from the upload to the response with the result.
	api := Read[float64](t, p, fmt.Sprintf(`(async () => {
		const times = [];
		for (let i = 0; i < 5; i++) {
			const began = performance.now(), form = new FormData(), headers = { "X-Owner-Id": "e2e-other" };
			form.append("file", new File([%q], "api.txt", { type: "text/plain" }));
			const { fileId } = await (await fetch("/v1/files", { method: "POST", headers, body: form })).json();
			await (await fetch("/v1/files/" + fileId + "?wait=30s", { headers })).json();
			times.push(performance.now() - began);
		}
		return times.sort((a, b) => a - b)[2];
	})()`, content))
	p.Eval(t, `window.began = performance.now();
		new MutationObserver(() => { if (document.querySelector(".tray .completed")) window.shown ??= performance.now(); }).observe(document.body, { subtree: true, childList: true, attributes: true })`)
	p.Drop(t, text("fox.txt", content))
	p.See(t, ".tray .completed", "fox.txt")
	shown := Read[float64](t, p, `window.shown - window.began`)
	t.Logf("the page shows the result of a 4 KB text after %.0f ms; the API returns it after %.0f ms", shown, api)
	if *timed && shown > api+300 {
		t.Errorf("the page shows a result %.0f ms after the API returns it, want at most 300 ms", shown-api)
	}
	p.State(t, "home-uploaded")
	want := system.Count(content)
	p.See(t, ".tray .completed", fmt.Sprintf("%d words", want.TotalWords))
	p.Click(t, ".tray a", "fox.txt")
	p.See(t, ".numbers dd", fmt.Sprint(want.TotalWords))
	p.See(t, ".bars tr", want.Top10Words[0].Word)
	p.Click(t, ".tray button", "Clear")
	p.State(t, "file-done")
	p.Go(t, Read[string](t, p, "location.pathname")) // the URL can be opened again
	p.See(t, "h1", "fox.txt")
}

// liveUpdate: files uploaded elsewhere appear without a reload.
func liveUpdate(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	p.See(t, ".empty h2", "No text files yet")
	for i := range 3 {
		upload(t, s, p.Owner, fmt.Sprintf("elsewhere-%d.txt", i), "one two three")
	}
	for i := range 3 {
		p.See(t, doneRow, fmt.Sprintf("elsewhere-%d.txt", i))
	}
	upload(t, s, p.Owner, "counted.txt", "one two two")
	counted := `[...document.querySelectorAll(".rows .row")].some((row) => row.querySelector(".name").textContent === "counted.txt" &&
		row.querySelector(".cell-words").textContent === "3" && row.querySelector(".cell-unique").textContent === "2")`
	p.Wait(t, counted) // from the event, and, after a reload, from the list
	p.Go(t, "/files")
	p.Wait(t, counted)
	p.Click(t, ".choice button", "Failed")
	p.See(t, ".empty h2", "No files match")
	p.State(t, "files-no-match")
	upload(t, s, p.Owner, "broken.txt", "%PDF-1.7\n%\x00\x01\x02")
	p.See(t, ".rows .row", "broken.txt")
	p.Wait(t, `location.search === "?status=FAILED" && document.querySelectorAll(".rows .row").length === 1`)
	p.Click(t, ".choice button", "All")
	p.Eval(t, `const input = document.querySelector("input[type=search]"); input.value = "WHERE-2"; input.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.Wait(t, `document.querySelectorAll(".rows .row").length === 1`)
	p.See(t, ".rows .row", "elsewhere-2.txt")
}

// hostileNames: a name is always displayed as text, without bidirectional control characters.
func hostileNames(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	markup := `<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>.txt`
	bidi := "invoice\u202etxt.exe"
	arabic := "مرحبا بالعالم.txt"
	long := text(strings.Repeat("long ", 40)+".txt", "one")
	p.Drop(t, text(markup, "one"), text(arabic, "one"), long, File{Name: bidi, Type: "application/octet-stream", Content: []byte("one")})
	p.See(t, "dialog li", "invoice\ufffdtxt.exe") // because its type is not text
	p.Eval(t, `const select = document.querySelector(".review li:last-child select"); select.value = "textfile"; select.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.State(t, "upload-dialog")
	p.Click(t, ".dialog-foot button.primary", "Upload")
	p.Wait(t, `document.querySelectorAll(".tray .completed").length === 3`)
	p.See(t, ".tray .error", "invoice\ufffdtxt.exe")
	p.See(t, ".tray .error", "changes the direction of text") // the server rejects the name
	p.See(t, ".rows .row", markup)
	p.See(t, ".rows .row", arabic)
	p.State(t, "files-names")
	p.Click(t, ".rows a", markup)
	p.See(t, "h1", markup)
	if Read[bool](t, p, `"harmed" in window || !!document.querySelector("main img")`) {
		t.Error("a name was interpreted as markup")
	}
	if Read[bool](t, p, `[...document.querySelectorAll("bdi")].some((e) => /[\u202a-\u202e\u2066-\u2069]/.test(e.textContent))`) {
		t.Error("a name contains bidirectional control characters")
	}
}

// recentItems: the start page shows the most recent items of all areas and, without a reload, what has been uploaded since.
func recentItems(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/")
	p.See(t, ".area-card", "Library")
	p.Gone(t, ".recent", "")
	upload(t, s, p.Owner, "broken.txt", "%PDF-1.7\n%\x00\x01\x02")
	keep(t, s, p.Owner, "table.csv", "", "a,b\n1,2\n3,4\n")
	upload(t, s, p.Owner, "text.txt", "one two three")
	if _, err := s.Client(t, p.Owner).Reserve(t.Context(), client.Reservation{FileName: "waiting.txt", Size: 1, ContentType: "text/plain"}); err != nil {
		t.Fatal(err)
	}
	p.See(t, ".recent li:has(.badge.good)", "3 words")
	p.Go(t, "/")
	p.See(t, ".recent li:first-child", "waiting.txt") // what has not ended comes first
	p.See(t, ".recent h2", "1 in progress")
	p.See(t, ".recent li:has(.badge.good)", "text.txt")
	p.See(t, ".recent li:has(.badge.good)", "2 records")
	p.See(t, ".recent li:has(.badge.bad)", "PDF")
	p.State(t, "home-recent")
	p.Click(t, ".recent a", "table.csv")
	p.See(t, "h1", "table.csv")
}

// deleteAndUndo: a file is deleted once the notification closes, unless the deletion is undone.
func deleteAndUndo(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	file := upload(t, s, p.Owner, "gone.txt", "one")
	exists := fmt.Sprintf(`fetch("/v1/files/%s").then((r) => r.status)`, file.FileID)
	remove := func() {
		p.Click(t, ".rows button", "Actions for gone.txt")
		p.Click(t, "[role=menuitem]", "Delete")
		p.See(t, ".toast", "Deleted gone.txt")
		p.Gone(t, ".rows .row", "gone.txt")
	}
	remove()
	p.State(t, "files-deleted")
	p.Click(t, ".toast button", "Undo")
	p.See(t, ".rows .row", "gone.txt")
	if status := Read[int](t, p, exists); status != 200 {
		t.Errorf("after the undo, the file returned status %d, want 200", status)
	}
	remove()
	p.Click(t, ".toast button", "Dismiss")
	p.Wait(t, "await "+exists+" === 404")
	p.Go(t, "/files/"+file.FileID)
	p.See(t, "h2", "This file does not exist")
	p.State(t, "file-missing")
}

// failures: the page explains what failed and what to do, and a failed file can be analyzed again.
func failures(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/")
	p.Drop(t, text("broken.txt", "%PDF-1.7\n%\x00\x01\x02"))
	p.See(t, ".tray .failed", "PDF")
	p.Click(t, ".tray a", "broken.txt")
	p.See(t, ".notice", "could not be analyzed")
	p.Wait(t, `document.querySelector(".page-head .actions > *").textContent === "Add to library"`) // which can read it
	p.State(t, "file-failed")
	p.Click(t, ".page-head button", "More actions")
	p.Click(t, "[role=menuitem]", "Analyze again")
	p.See(t, ".toast", "analyzed again")
	p.See(t, ".notice", "could not be analyzed")
	p.Eval(t, `const { open } = XMLHttpRequest.prototype;
		XMLHttpRequest.prototype.open = function (method) { XMLHttpRequest.prototype.open = open; this.open(method, "/v1/nowhere"); }`)
	p.Drop(t, text("again.txt", "one"))
	p.See(t, ".tray .error", "again.txt")
	p.Click(t, ".tray button", "Try again.txt again")
	p.See(t, ".tray .completed", "again.txt")
	p.Offline(t, true)
	p.Drop(t, text("offline.txt", "one"))
	p.Click(t, ".tray li:first-child button:last-child", "offline.txt") // Cancel
	p.Gone(t, ".tray li", "offline.txt")
	p.Offline(t, false)
}

// paste: a pasted text is uploaded as a file after a confirmation, and a pasted file is uploaded like a dropped one.
func paste(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	put := func(fill string) {
		t.Helper()
		p.Eval(t, `const clipboardData = new DataTransfer(); `+fill+`;
			document.body.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }))`)
	}
	put(`clipboardData.setData("text/plain", "three pasted words")`)
	p.See(t, "dialog li", "pasted.txt")
	p.Click(t, ".dialog-foot button.primary", "Upload")
	p.See(t, ".tray .completed", "3 words")
	put(`clipboardData.items.add(new File(["two words"], "from-desktop.txt", { type: "text/plain" }))`)
	p.See(t, ".tray .completed", "from-desktop.txt")
}

// account: the page shows the user's usage and quotas.
func account(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/")
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "Usage and quotas")
	p.See(t, ".facts dd", p.Owner)
	p.See(t, ".card", "Usage is not counted without a quota of bytes, items or uploads")
	p.State(t, "account")
}

// longList: rows load while the list is scrolled, although other files arrive and are analyzed all the time. Only visible
// rows are in the document, and scrolling stays smooth.
func longList(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/")
	c := s.Client(t, p.Owner)
	var reserving sync.WaitGroup
	numbers := make(chan int)
	for range 4 {
		reserving.Go(func() {
			for i := range numbers {
				if _, err := c.Reserve(t.Context(), client.Reservation{FileName: fmt.Sprintf("row-%d.txt", i), Size: 1, ContentType: "text/plain"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range *rows {
		numbers <- i
	}
	close(numbers)
	reserving.Wait()
	p.Go(t, "/files")
	const arriving = 20
	var changes sync.WaitGroup
	changes.Go(func() {
		for i := range arriving {
			if _, err := c.Upload(t.Context(), system.Source(fmt.Sprintf("arriving-%d.txt", i), "one two")); err != nil {
				t.Error(err)
			}
		}
	})
	drawn := 0
	longest := p.LongestTask(t, func() {
		drawn = Read[int](t, p, fmt.Sprintf(`(async () => {
			let most = 0;
			for (let still = 0; still < 100;) {
				const before = scrollY;
				scrollBy(0, 400);
				await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 10)));
				most = Math.max(most, document.querySelectorAll(".rows .row").length);
				still = scrollY === before && document.querySelector(".list-end")?.textContent.includes(%q) ? 100 : scrollY === before ? still + 0.1 : 0;
			}
			return most;
		})()`, strings.Join(grouped(*rows+arriving), ",")+" shown"))
	})
	changes.Wait()
	if p.See(t, ".list-end", "shown"); drawn == 0 || drawn > 60 {
		t.Errorf("%d rows are in the document, want 1 to 60", drawn)
	}
	t.Logf("%d rows: at most %d are in the document; the longest task takes %s of processor time", *rows, drawn, longest)
	if longest == 0 || longest > 100*time.Millisecond {
		t.Errorf("the longest task takes %s of processor time while %d rows are scrolled, want a time of at most 100ms", longest, *rows)
	}
	p.State(t, "files-long")
}

// grouped returns the digits of a number in groups of three.
func grouped(n int) []string {
	digits := fmt.Sprint(n)
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return append([]string{digits}, groups...)
}

func startAndSettings(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/")
	p.State(t, "home")
	p.Click(t, ".top button", "Upload")
	p.See(t, "dialog button", "Choose files")
	p.State(t, "upload-empty")
	p.Click(t, "dialog button", "Close")
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "Dark theme")
	p.Wait(t, `document.documentElement.dataset.theme === "dark"`)
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "System theme")
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "Owner …")
	p.Wait(t, fmt.Sprintf(`document.querySelector("dialog input").value === %q`, p.Owner))
	p.State(t, "owner")
}

// pictures takes the screenshots for the README: a list of files and the result of one file.
func pictures(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/files")
	story := strings.Repeat("The harbor was quiet when the keeper lit the lamp. The lamp turned, and the light went over the water, over the "+
		"boats and over the roofs of the town. Nobody in the town looked at the light, but the boats did.\n", 40)
	for _, name := range []string{"field-notes-october.md", "交易記錄.txt", "server.log", "survey-answers.txt", "résumé.txt", "interview-02.txt", "interview-01.txt"} {
		upload(t, s, p.Owner, name, story[:200*len(name)])
		p.See(t, doneRow, name)
	}
	upload(t, s, p.Owner, "scan.txt", "%PDF-1.7\n%\x00\x01\x02")
	file := upload(t, s, p.Owner, "the-lighthouse.txt", story)
	p.See(t, doneRow, "the-lighthouse.txt")
	p.State(t, "files")
	p.Go(t, "/files/"+file.FileID)
	p.See(t, ".bars tr", "the")
	p.State(t, "file")
}
