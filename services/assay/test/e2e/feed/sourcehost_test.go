package feed

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// feedHost is a site with one feed, which returns its version as an ETag.
type feedHost struct {
	url string

	mu      sync.Mutex
	titles  []string
	asked   int
	matched []bool // for each request, whether it named the current version
}

func startFeedHost(t *testing.T, titles ...string) *feedHost {
	t.Helper()
	h := &feedHost{titles: titles}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.url = server.URL + "/feed.xml"
	return h
}

func (h *feedHost) publish(title string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.titles = append(h.titles, title)
}

// requests returns the number of requests and, for each request, whether it named the current version.
func (h *feedHost) requests() (all int, matched []bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked, append([]bool(nil), h.matched...)
}

func (h *feedHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	version := fmt.Sprintf(`"%d"`, len(h.titles))
	w.Header().Set("ETag", version)
	h.matched = append(h.matched, r.Header.Get("If-None-Match") == version)
	if r.Header.Get("If-None-Match") == version {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var items strings.Builder
	for i, title := range h.titles {
		fmt.Fprintf(&items, "<item><guid>%d</guid><title>%s</title><description>&lt;p&gt;The book was &lt;b&gt;good&lt;/b&gt;.&lt;/p&gt;</description><link>https://example.com/%d</link></item>", i, title, i)
	}
	fmt.Fprintf(w, `<rss version="2.0"><channel><title>Books</title>%s</channel></rss>`, items.String())
}
