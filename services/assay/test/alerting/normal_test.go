package alerting

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var minutes = flag.Int("alerting.minutes", 0, "minutes of the normal run; 0 means half a minute, continued for ten minutes")

// work does what clients normally do, once in every area: among it, a file that cannot be processed and a deletion.
func work(t *testing.T, s system.System, api *client.Client, i int) {
	t.Helper()
	text := system.RandomText(uint64(i), 50)
	file := system.UploadMultipart(t, api, "a.txt", "text/plain", []byte(text))
	if got := system.Await(t, api, file.FileID); got.Status != client.Completed {
		t.Errorf("the file is %s, want COMPLETED", system.JSON(got))
	}
	if err := api.Delete(system.Within(t), file.FileID); err != nil {
		t.Error(err)
	}
	damaged := system.UploadMultipart(t, api, "a.pdf", "application/pdf", []byte("%PDF-1.7\n"))
	if got := system.Await(t, api, damaged.FileID); got.Status != client.Failed {
		t.Errorf("the PDF is %s, want FAILED", system.JSON(got))
	}
	item := system.NewPosting("The book was good.", "a")
	s.PostItem(t, item)
	s.Analyzed(t, item.SourceID)
	system.AwaitPhoto(t, api, system.SendPhoto(t, api, "sepia", system.DrawPhoto(t, uint32(i))).JobID, client.Completed)
	node, err := api.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: "a.txt", Size: int64(len(text)), ContentType: "text/plain"},
		client.Source{Content: strings.NewReader(text)})
	if err == nil {
		_, err = api.WaitNode(system.Within(t), node.ID)
	}
	if err != nil {
		t.Error(err)
	}
}

// source adds a source of the feed.
func source(t *testing.T, s system.System) {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>The book was good.</title></item></channel></rss>`)
	}))
	t.Cleanup(host.Close)
	resp, body := system.System{HTTP: s.Operator}.Ask(t, http.MethodPut, "/v1/feed/sources/news", system.JSONHeader,
		system.JSON(system.Settings{"kind": "rss", "url": host.URL, "interval": "1s", "enabled": true, "tags": []string{"a"}}))
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("put source: %s %s, want 201", resp.Status, body)
	}
}

// TestNormalRunIsSilent: while clients work in every area and receive webhooks, no alert fires, with separate services
// and with assay serve. Every metric in the rules and dashboards is exported.
func TestNormalRunIsSilent(t *testing.T) {
	t.Parallel()
	w := watch(t)
	secured := w.secure(t, 90*24*time.Hour)
	serve := system.StartServer(t, t.TempDir(), "ASSAY_SWEEP_EVERY=2s", "ASSAY_SOURCES_EVERY=1s", "ASSAY_SOURCES_MIN_INTERVAL=1s", "ASSAY_SOURCES_ALLOW_NETWORKS=127.0.0.0/8")
	all := newRecording(t, interval, target{"assay-serve", "serve:8087", func() string { return serve.Operator }})
	source(t, serve.System)
	owner := system.NewOwner()
	endpoint := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(endpoint.Close)
	header := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}
	for _, s := range []system.System{w.System, serve.System} {
		if resp, body := s.Ask(t, http.MethodPost, "/v1/webhooks", header, `{"url":"`+endpoint.URL+`"}`); resp.StatusCode != http.StatusCreated {
			t.Fatalf("register: %s %s, want 201", resp.Status, body)
		}
	}
	length, more := 30*time.Second, 10*time.Minute
	if *minutes > 0 {
		length, more = time.Duration(*minutes)*time.Minute, 0
	}
	w.tail, all.tail = length, length // a busy machine takes longer to read the state of the system
	clients := []*client.Client{w.Client(t, owner), serve.Client(t, owner)}
	for end, i := time.Now().Add(length), 0; time.Now().Before(end); i++ {
		for at, s := range []system.System{w.System, serve.System} {
			work(t, s, clients[at], i)
			w.scrape(t)
			all.scrape(t)
		}
		w.record(t, interval)
		all.scrape(t)
	}
	secured.scrape(t)
	w.fires(t, more)
	all.fires(t, more)
	checkNames(t, w.recording, secured, all)
}
