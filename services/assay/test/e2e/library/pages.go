package library

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// privatePagesAreRejected: URLs with addresses of private networks are rejected before any request is sent, and so are
// strings that are not web URLs.
func privatePagesAreRejected(t *testing.T, s system.System) {
	owner := system.NewOwner()
	for _, url := range []string{
		"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "https://[fd00::1]/", "http://192.168.1.1:8080/a",
		"http://[::ffff:10.0.0.1]/", "file:///etc/passwd", "https://user@example.com/", "example.com",
	} {
		resp, body := s.Ask(t, http.MethodPost, "/v1/library/pages", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}, system.JSON(map[string]string{"url": url}))
		system.Refused(t, resp, body, http.StatusUnprocessableEntity, "url-not-allowed")
	}
	for _, body := range []string{`{}`, `{"url":""}`, `{"url":"http://exa mple.com/"}`, `{"url":"https://example.com/` + strings.Repeat("a", 1024) + `"}`, `{"url":"https://example.com/","name":"a/b"}`} {
		if resp, answer := request(t, s, http.MethodPost, "/v1/library/pages", owner, body); resp.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s returned %d %s, want 422", body, resp.StatusCode, answer)
		}
	}
	if root, err := s.Client(t, owner).Root(system.Within(t)); err != nil || root.Version != 0 {
		t.Errorf("after rejected imports, the root is %+v, %v; want version 0", root, err)
	}
}

const article = `<html lang="en"><head><title>Tides</title><meta property="og:image" content="/tide.png"></head><body><nav>Menu</nav><article><h1>Tides</h1>
<p>The gravity of the moon raises the ocean twice a day, and coasts see high and low water about six hours apart.</p>
<p>Where the sun and the moon pull along one line, spring tides follow, and neap tides when they pull at right angles.</p></article></body></html>`

// pagesAreImported: a page is fetched once, following redirects, and imported with its text and its picture. A page that
// cannot be imported becomes Failed with the reason, and a retry fetches it again.
func pagesAreImported(t *testing.T, start system.Starter) {
	site := newSite(t)
	cluster := start(t, "ASSAY_PAGES_ALLOW_NETWORKS=127.0.0.1/32")
	cluster.Front(t, cluster.Service(t, "ingest"), cluster.Service(t, "query"))
	cluster.Service(t, "analyzer")
	c := cluster.Client(t, system.NewOwner())
	imported := func(path string) client.Node {
		t.Helper()
		page := client.NewPage{URL: site.URL + path, Key: "page " + path}
		n, err := c.ImportPage(system.Within(t), page)
		if err == nil {
			n, err = c.ImportPage(system.Within(t), page) // repeated with the same key
		}
		if err == nil {
			n, err = c.WaitNode(system.Within(t), n.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	page := imported("/moved?to=/tides")
	if page.Status != client.LibraryProcessed || page.SubType != "WebPage" || page.Name != "moved" || len(page.Images) != 3 || page.Images[0].Width != 64 {
		t.Errorf("got %+v, want a processed page with 3 pictures", page)
	}
	body, err := c.NodeText(system.Within(t), page.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if text, err := io.ReadAll(body); err != nil || !strings.Contains(string(text), "spring tides follow") || !strings.Contains(string(text), "Menu") {
		t.Errorf("the text is %q, %v; want that of the complete page", text, err)
	}
	if view := readAll(t, c.NodeReader, page); !strings.Contains(view, "spring tides follow") || strings.Contains(view, "Menu") {
		t.Errorf("the article is %q, want it without the menu", view)
	}
	metadata, err := c.NodeMetadata(system.Within(t), page.ID, client.Reading{})
	if err != nil || metadata["title"] != "Tides" || metadata["address"] != site.URL+"/tides" || metadata["image"] != site.URL+"/tide.png" {
		t.Errorf("got %v, %v; want the title, address and image of the article", metadata, err)
	}
	if picture := imported("/tide.png"); picture.Status != client.LibraryProcessed || picture.SubType != "Image" {
		t.Errorf("got %+v, want a processed image", picture)
	}
	for path, want := range map[string]string{
		"/absent":                               "404",
		"/script.js":                            "only web pages",
		"/large":                                "larger than",
		"/moved?to=http://169.254.169.254/":     "not allowed",
		"/moved?to=http://127.0.0.2/":           "not allowed",
		"/moved?to=/moved%3Fto=/moved%3Fto=/on": "404",
	} {
		n := imported(path)
		if n.Status != client.LibraryFailed || !strings.Contains(n.ErrorMessage, want) || strings.Contains(n.ErrorMessage, "127.0.0") {
			t.Errorf("%s: %s, %q; want %s, %q", path, n.Status, n.ErrorMessage, client.LibraryFailed, want)
		}
	}
	late := imported("/late")
	if late.Status != client.LibraryFailed {
		t.Errorf("got %+v, want status %s", late, client.LibraryFailed)
	}
	site.open.Store(true)
	if _, err := c.RetryLibraryFile(system.Within(t), late.ID); err != nil {
		t.Fatal(err)
	}
	if late, err = c.WaitNode(system.Within(t), late.ID); err != nil || late.Status != client.LibraryProcessed || late.SubType != "WebPage" {
		t.Errorf("after a retry: %+v, %v; want a processed page", late, err)
	}
	out := system.Launch(t, "assay", []string{"ASSAY_SERVER=" + cluster.HTTP, "ASSAY_OWNER=" + c.OwnerID()}, "library", "import", site.URL+"/tides", "--name", "again.html", "--wait")
	if status := out.End(t); status != 0 || !strings.Contains(out.Output.String(), "again.html") {
		t.Errorf("assay library import: exit status %d: %s, want 0 and again.html", status, out.Output)
	}
}

// site serves pages. /late fails until the site is open.
type site struct {
	*httptest.Server
	open atomic.Bool
}

func newSite(t *testing.T) *site {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 48))); err != nil {
		t.Fatal(err)
	}
	s := &site{}
	html := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, body) // the client may have disconnected
	}
	routes := http.NewServeMux()
	routes.HandleFunc("/tides", func(w http.ResponseWriter, _ *http.Request) { html(w, article) })
	routes.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	routes.HandleFunc("/tide.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture.Bytes())
	})
	routes.HandleFunc("/script.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, "let tides = 2;\n")
	})
	routes.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { html(w, article+strings.Repeat(" ", 20<<20)) })
	routes.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) {
		if !s.open.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		html(w, article)
	})
	s.Server = httptest.NewServer(routes)
	t.Cleanup(s.Close)
	return s
}
