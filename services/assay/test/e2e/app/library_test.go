package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestLibrary proves the promises of the library pages on one server.
func TestLibrary(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_PAGES_ALLOW_NETWORKS=127.0.0.1/32")
	b := Start(t)
	for name, prove := range map[string]func(*testing.T, *Browser, system.System){
		"organize":         organize,
		"moved while read": movedWhileRead,
		"endless":          endless,
		"share":            share,
		"search":           search,
		"found pages":      foundPages,
		"records":          libraryRecords,
		"models":           models,
		"kinds of files":   kindsOfFiles,
		"office files":     officeFiles,
		"crystals":         crystals,
		"read differently": readDifferently,
		"trash":            trashCan,
		"import":           importPage,
	} {
		t.Run(name, func(t *testing.T) { prove(t, b, s.System) })
	}
}

// keep uploads a file to the library and waits until it is processed.
func keep(t *testing.T, s system.System, owner, name, parentID, content string) client.Node {
	t.Helper()
	c := s.Client(t, owner)
	n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: int64(len(content)), ParentID: parentID}, client.Source{Content: strings.NewReader(content)})
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func newFolder(t *testing.T, s system.System, owner, name string) client.Node {
	t.Helper()
	n, err := s.Client(t, owner).CreateFolder(system.Within(t), client.NewFolder{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// organize: a dropped folder is created with its contents; files are renamed, moved and trashed with the keyboard and
// the mouse, and moves and deletions can be undone.
func organize(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	p.See(t, ".empty h2", "Your library is empty")
	p.State(t, "library-empty")
	p.Phone(t)
	p.Wait(t, `!document.querySelector(".empty").innerText.includes("Drop files")`) // there is nothing to drop from
	p.Desktop(t)
	p.Click(t, ".page-head button", "New folder")
	p.See(t, "dialog h2", "New folder")
	p.Press(t, "Archive"+kb.Enter) // the field has the focus
	p.See(t, ".rows .name", "Archive")
	p.Phone(t) // the controls leave room for the first rows
	p.Wait(t, `scrollY === 0 && document.querySelector(".rows .row").getBoundingClientRect().bottom <= 400`)
	p.Desktop(t)
	p.Eval(t, `
		const file = (name, text) => ({ isFile: true, isDirectory: false, name, file: (done) => done(new File([text], name, { type: "text/plain" })) });
		const folder = (name, ...of) => ({ isFile: false, isDirectory: true, name, createReader: () => { let read = false; return { readEntries: (done) => { done(read ? [] : of); read = true; } }; } });
		const items = [{ kind: "file", webkitGetAsEntry: () => folder("Papers", file("one.txt", "alpha"), file("two.txt", "beta"), folder("Drafts", file("three.txt", "gamma"))) }];
		const drop = new DragEvent("drop", { bubbles: true, cancelable: true });
		Object.defineProperty(drop, "dataTransfer", { value: { types: ["Files"], items } });
		document.body.dispatchEvent(drop)`)
	p.See(t, ".tray h2", "3 uploads done")
	p.Click(t, ".tray button", "Clear")
	p.See(t, ".tree .tree-name", "Papers")
	p.Click(t, ".rows .name", "Papers")
	p.See(t, ".rows .row:has(.badge.good)", "two.txt")
	p.See(t, ".rows .name", "Drafts")

	p.Click(t, ".rows input", "Select one.txt")
	p.See(t, ".selection", "1 selected")
	p.Eval(t, find(".rows input", "Select two.txt")+`.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: true }))`)
	p.See(t, ".selection", "2 selected")
	p.State(t, "library-selected")
	p.Click(t, ".selection button", "Move")
	p.Click(t, "dialog .tree-name", "Archive")
	p.State(t, "library-move")
	p.Click(t, "dialog button", "Move here")
	p.Gone(t, ".rows .name", "two.txt")
	p.Click(t, ".toast button", "Undo")
	p.See(t, ".rows .name", "two.txt")

	p.Eval(t, find(".rows .name", "two.txt")+".focus()")
	p.Press(t, kb.F2)
	p.See(t, "dialog h2", "Rename")
	p.Press(t, "zwei"+kb.Enter) // the name without its extension is selected
	p.See(t, ".rows .name", "zwei.txt")
	p.Wait(t, `!document.querySelector("dialog")`)
	focused(t, p, "zwei.txt")
	p.Press(t, kb.Delete)
	p.Gone(t, ".rows .name", "zwei.txt")
	p.Click(t, ".toast button", "Undo")
	p.See(t, ".rows .name", "zwei.txt")

	p.Click(t, ".tree .tree-name", "Library")
	p.Click(t, ".rows button", "Actions for Papers")
	if zip := Read[string](t, p, `fetch(`+find("[role=menuitem]", "Download")+`.href).then((r) => r.text())`); !strings.HasPrefix(zip, "PK") || !strings.Contains(zip, "Drafts/three.txt") {
		t.Errorf("the folder download starts with %.20q, want a ZIP archive that contains Drafts/three.txt", zip)
	}
	p.Press(t, kb.Escape)
	drag(t, p, find(".rows .name", "Papers"), find(".rows .name", "Archive"))
	p.Gone(t, ".rows .name", "Papers")
	p.See(t, ".toast", "Moved Papers to Archive")
	p.Click(t, ".tree .tree-name", "Archive")
	p.See(t, ".rows .name", "Papers")
	drag(t, p, find(".rows .name", "Papers"), find(".tree .tree-name", "Library"))
	p.Gone(t, ".rows .name", "Papers")
	p.Click(t, ".tree .tree-name", "Library")
	p.See(t, ".rows .name", "Papers")
	keep(t, s, p.Owner, "evil \u200fgpj.txt", "", "live") // a name with a mark that affects the direction of text
	p.See(t, ".rows .name", "evil")
	p.State(t, "library-table")
	p.Click(t, ".choice button", "Tiles")
	p.See(t, ".node-tile .name", "evil")
	p.State(t, "library-tiles")
}

// drag drags the row of an element and drops it on another element.
func drag(t *testing.T, p *Page, from, to string) {
	t.Helper()
	p.Eval(t, fmt.Sprintf(`
		const transfer = new DataTransfer(), from = %s.closest(".row"), to = %s;
		from.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer: transfer }));
		to.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: transfer }));
		to.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }))`, from, to))
}

// movedWhileRead: a folder that is moved while the list that contains it is being read does not reappear in the list.
func movedWhileRead(t *testing.T, b *Browser, s system.System) {
	through := newHolder(t, s.HTTP)
	p := b.Open(t, through.url, "/library")
	for _, name := range []string{"Destination", "Leaving"} {
		newFolder(t, s, p.Owner, name)
		p.See(t, ".rows .name", name)
	}
	reload := through.hold(filesOfFolder(false)) // a list is read with a request for its folders and then one for its files
	newFolder(t, s, p.Owner, "Arriving")         // so that the page reads the list again
	reload.await(t, "the request for the files of the list")
	drag(t, p, find(".rows .name", "Leaving"), find(".rows .name", "Destination"))
	p.See(t, ".toast", "Moved Leaving to Destination")
	reload.release()
	p.See(t, ".rows .name", "Arriving")
	p.Gone(t, ".rows .name", "Leaving")
}

// share: anyone with the link to a folder can read the folder and its contents until the link is revoked.
func share(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	folder := newFolder(t, s, p.Owner, "Shared folder")
	keep(t, s, p.Owner, "inside.txt", folder.ID, "words for a visitor")
	p.See(t, ".rows .name", "Shared folder")
	p.Click(t, ".rows .menu button", "Actions for Shared folder")
	p.Click(t, "[role=menuitem]", "Share")
	p.Click(t, "dialog button", "Create link")
	p.Wait(t, `document.querySelector(".share-link input")`)
	p.Gone(t, "dialog h3", "Users and groups") // without sign-in, nobody has such an id
	p.State(t, "library-share")
	link := strings.TrimPrefix(Read[string](t, p, `document.querySelector(".share-link input").value`), s.HTTP)
	visitor := b.Open(t, s.HTTP, link)
	_, token, _ := strings.Cut(link, "?link=")
	visitor.Go(t, "/v1/library/links/"+token) // the address of the API leads to the page, too
	visitor.See(t, "h1", "Shared folder")
	visitor.Click(t, ".rows .name", "inside.txt")
	visitor.See(t, "pre", "words for a visitor")
	visitor.Click(t, ".page-head button", "More actions")
	visitor.See(t, "[role=menuitem]", "Open the original")
	visitor.Gone(t, "[role=menuitem]", "Move to trash")
	visitor.Press(t, kb.Escape)
	visitor.State(t, "library-visitor")
	visitor.Go(t, link)
	visitor.See(t, ".rows .name", "inside.txt")
	keep(t, s, p.Owner, "later.txt", folder.ID, "live, also for a visitor")
	visitor.See(t, ".rows .name", "later.txt") // without a reload
	p.Go(t, "/library")                        // links are listed after a reload, too
	p.Click(t, ".rows .menu button", "Actions for Shared folder")
	p.Click(t, "[role=menuitem]", "Share")
	p.Wait(t, fmt.Sprintf(`document.querySelector(".share-link input")?.value.endsWith(%q)`, link))
	p.Click(t, "dialog button", "Revoke all links")
	p.See(t, ".toast", "revoked")
	p.Gone(t, ".share-link", "")
	visitor.Go(t, link)
	visitor.See(t, ".empty h2", "This item does not exist")
}

// search: hits show the matching words in context, facets filter, and a query without hits suggests other queries.
func search(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/search")
	p.State(t, "search-start")
	keep(t, s, p.Owner, "report.md", "", "# Report\n\nThe annual budget & <img src=x onerror=alert(1)> plans.")
	keep(t, s, p.Owner, "annual.csv", "", "a,b\n1,2\n")
	c := s.Client(t, p.Owner)
	words := system.Await(t, c, system.UploadMultipart(t, c, "words.txt", "text/plain", []byte("the annual words")).FileID)
	p.Wait(t, `(await fetch("/v1/search?q=annual&area=textfile", { headers: { "X-Owner-Id": localStorage.getItem("assay-owner") } }).then((r) => r.json())).areas.textfile.total === 1`)
	p.Wait(t, `(await fetch("/v1/library/search?q=annual", { headers: { "X-Owner-Id": localStorage.getItem("assay-owner") } }).then((r) => r.json())).total === 2`)
	p.Eval(t, `document.querySelector("input[name=q]").value = "annual"`)
	p.Click(t, ".search-box button", "Search")
	p.See(t, ".hit .snippet", "annual budget & <img src=x onerror=alert(1)> plans")
	p.See(t, ".hit mark", "annual")
	p.See(t, ".elsewhere .hits-count", "Text files: 1 result")
	p.See(t, ".elsewhere .snippet", "the annual words")
	p.See(t, `.elsewhere a[href="/files/`+words.FileID+`"]`, "words.txt")
	p.State(t, "search-hits")
	p.Click(t, ".facet", "csv")
	p.Gone(t, ".hit .name", "report.md")
	p.See(t, ".hit .name", "annual.csv")
	p.Gone(t, ".elsewhere", "")
	if at := Read[string](t, p, "location.search"); at != "?q=annual&format=csv" {
		t.Errorf("location.search = %q, want %q", at, "?q=annual&format=csv")
	}
	p.Go(t, "/search?q=annual+nonsense")
	p.See(t, ".empty h2", "No results")
	p.State(t, "search-nothing")
	p.Click(t, ".empty button", "Try annual")
	p.See(t, ".hit .name", "annual.csv")
	for i := range 21 {
		newFolder(t, s, p.Owner, fmt.Sprintf("binder %d", i))
	}
	p.Wait(t, `(await fetch("/v1/library/search?q=binder", { headers: { "X-Owner-Id": localStorage.getItem("assay-owner") } }).then((r) => r.json())).total === 21`)
	p.Go(t, "/search?q=binder")
	p.Wait(t, `document.querySelectorAll(".hit").length === 20`)
	p.Click(t, ".list-end button", "Show more results")
	p.See(t, ".list-end", "End of results")
	p.Wait(t, `document.querySelectorAll(".hit").length === 21`)
	p.Go(t, `/search?q="`)
	p.See(t, ".empty h2", "No results")
	p.Go(t, "/search?q=-binder")
	p.See(t, ".empty", "Search failed")
}

// trashCan: nodes in the trash are restored, or erased after a confirmation.
func trashCan(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library/trash")
	p.See(t, ".empty h2", "The trash is empty")
	c := s.Client(t, p.Owner)
	for _, name := range []string{"back.txt", "gone.txt", "first.txt"} {
		if err := c.TrashNode(system.Within(t), keep(t, s, p.Owner, name, "", name).ID); err != nil {
			t.Fatal(err)
		}
		p.See(t, ".rows .name", name) // without a reload
	}
	p.Click(t, ".rows button", "Restore back.txt")
	p.Gone(t, ".rows .name", "back.txt")
	p.State(t, "library-trash")
	p.Click(t, ".rows input", "Select first.txt")
	p.Click(t, ".selection button", "Delete permanently")
	p.See(t, "dialog h2", "Delete 1 item permanently?")
	p.Click(t, "dialog button", "Delete permanently")
	p.Gone(t, ".rows .name", "first.txt")
	p.Click(t, ".page-head button", "Empty trash")
	p.Click(t, "dialog button", "Empty trash")
	p.See(t, ".empty h2", "The trash is empty")
	p.Click(t, ".tree .tree-name", "Library")
	p.See(t, ".rows .name", "back.txt")
	p.Gone(t, ".rows .name", "gone.txt")
}

// importPage: a web page is imported by its URL and its article is displayed, or all of its text; a URL that is not allowed is rejected with the
// reason.
func importPage(t *testing.T, b *Browser, s system.System) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, err := io.WriteString(w, "<title>Tides</title><article><h1>Tides</h1>"+strings.Repeat("<p>The gravity of the moon raises the ocean twice a day, and coasts see high and low water.</p>", 10)+
			"</article><footer>Imprint of the site</footer>")
		if err != nil {
			t.Error(err)
		}
	}))
	defer site.Close()
	p := b.Open(t, s.HTTP, "/library")
	p.Click(t, ".empty button", "Import a web page")
	p.Wait(t, `document.activeElement?.type === "url"`)
	p.Press(t, "http://10.0.0.1/"+kb.Enter)
	p.See(t, "dialog [role=alert]", "10.0.0.1")
	p.State(t, "library-import")
	p.Eval(t, `document.querySelector("dialog input[type=url]").select()`)
	p.Press(t, site.URL+"/tides"+kb.Enter)
	p.Click(t, ".rows .name", "tides")
	p.See(t, ".reader p", "The gravity of the moon")
	p.Gone(t, ".reader p", "Imprint of the site")
	p.State(t, "file-page")
	p.Click(t, ".reader button", "Show the text of the complete page")
	p.See(t, ".reader p", "Imprint of the site")
	p.Click(t, ".reader button", "Show the article")
	p.Gone(t, ".reader p", "Imprint of the site")
}
