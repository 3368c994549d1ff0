package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// TestFeedItems lists and shows an item that is not English.
func TestFeedItems(t *testing.T) {
	p := newPerson(t)
	id, tag := "reddit#"+p.owner, "tag of "+p.owner
	running, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	item, err := json.Marshal(map[string]any{
		"sourceId": id, "sourceType": "reddit", "matchedTags": []string{tag}, "text": "Das war eine super Woche, und wir wollen trotzdem nicht mehr nach Hause.",
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, running.HTTP+"/v1/feed/items", bytes.NewReader(item))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("post of an item: got %s, %v, want 201", resp.Status, err)
	}
	for !strings.Contains(p.run("feed", "list", "--tag", tag).out, id) {
		if t.Context().Err() != nil {
			t.Fatalf("feed list: got no item before the deadline, want %s", id)
		}
	}
	list := p.run("feed", "list", "--tag", tag, "--sentiment", "neutral")
	if lines := strings.Split(list.out, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "INGESTED") || !strings.Contains(lines[1], "not rated  0.00   de        Das war") {
		t.Errorf("list: got %+v, want one German item that is not rated", list)
	}
	p.run("feed", "show", id).has(t, 0, "language   de (only English is rated)\n", "")
	p.run("feed", "list", "--sentiment", "happy").want(t, 1, "", "sentiment ")
	p.run("feed", "show", "reddit#none").want(t, 1, "", "assay: There is no feed item with this id.\n")
}

// sources runs `assay feed sources …`.
func (p person) sources(args ...string) ran {
	p.Helper()
	return p.run(append(append([]string{"feed", "sources"}, args...), "--data", testDir)...)
}

func TestFeedSources(t *testing.T) {
	p := newPerson(t)
	p.sources("list").want(t, 0, "", "No sources yet")
	p.sources("set", "news", "--kind", "newsapi", "--tags", "wind,solar", "--quota", "50", "--enabled=false").want(t, 0, `source        news
kind          newsapi
url           https://newsapi.org/v2/everything
tags          solar, wind
language      en
pages         1
key variable  ASSAY_NEWSAPI_KEY
interval      15m
quota         0 of 50 today
status        disabled
etag          "1"
`, "")
	p.sources("set", "news", "--add-tag", "tide,solar", "--remove-tag", "wind", "--interval", "1h", "--json").want(t, 0,
		`{"name":"news","kind":"newsapi","url":"https://newsapi.org/v2/everything","enabled":false,"interval":"1h","quota":50,"tags":["solar","tide"],`+
			`"language":"en","pages":1,"keyVariable":"ASSAY_NEWSAPI_KEY","state":{"status":"disabled","failures":0,"quotaUsed":0},"etag":"\"2\""}`+"\n", "")
	p.sources("set", "news", "--tags", "sun", "--if-match", `"1"`).want(t, 1, "", "has changed since it was read")
	p.sources("list").want(t, 0, "NAME  KIND     STATUS    EVERY  USED TODAY  LAST POLL  TAGS\n"+
		"news  newsapi  disabled  1h     0 of 50     none       solar, tide\n", "")
	if shown := p.sources("set", "news", "--tags", "sun", "--if-match", `"2"`); shown.status != 0 || !strings.Contains(shown.out, "tags          sun\n") {
		t.Errorf("set with the current etag: got %+v, want the tag sun", shown)
	}

	// This address is blocked, and the poll reports that.
	p.sources("set", "site", "--kind", "rss", "--url", "http://127.0.0.1/feed", "--tags", "a")
	shown := p.sources("show", "site")
	for late := time.After(30 * time.Second); !strings.Contains(shown.out, "refused: 0 created"); shown = p.sources("show", "site") {
		select {
		case <-late:
			t.Fatalf("show: got %+v after 30 s, want a refused poll", shown)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if !strings.Contains(shown.out, "failures   1 consecutive\n") || !strings.Contains(shown.out, "\ndetail     ") || !strings.Contains(shown.out, "match      text\n") {
		t.Errorf("show: got %+v, want one failure with its detail", shown)
	}
	p.sources("list").has(t, 0, "site  rss      failing   15m", "")
	// After a change of kind the source keeps the settings that both kinds share.
	shown = p.sources("set", "site", "--kind", "newsapi", "--enabled=false", "--json")
	if !strings.HasPrefix(shown.out, `{"name":"site","kind":"newsapi","url":"https://newsapi.org/v2/everything","enabled":false,"interval":"15m","quota":100,"tags":["a"],"language":"en",`) {
		t.Errorf("set --kind: got %+v, want the shared settings unchanged and the others at their defaults", shown)
	}

	for _, wrong := range [][]string{{"set", "news"}, {"set", "--quota", "1"}, {"set", "other", "--quota", "1"}, {"show"}} {
		p.sources(wrong...).want(t, 2, "", "See: assay feed sources "+wrong[0]+" --help")
	}
	p.sources("set", "news", "--interval", "1s").want(t, 1, "", "interval is not a duration between ")
	p.sources("show", "other").want(t, 1, "", "assay: There is no feed source with this name.\n")
	p.sources("delete", "news", "--if-match", `"1"`).want(t, 1, "", "has changed since it was read")
	p.sources("delete", "news").want(t, 0, "news  deleted\n", "")
	p.sources("delete", "site", "--json").want(t, 0, `{"name":"site","deleted":true}`+"\n", "")
	p.sources("delete", "site").want(t, 1, "", "assay: There is no feed source with this name.\n")
	p.sources("list", "--json").want(t, 0, "", "")
}

// TestConcurrentFeedSourceChanges checks that no concurrent change is lost.
func TestConcurrentFeedSourceChanges(t *testing.T) {
	p := newPerson(t)
	t.Setenv("ASSAY_OWNER", p.owner)
	var all sync.WaitGroup
	want := []string{"start"}
	for i := range 8 {
		tag := fmt.Sprint("tag ", i)
		want = append(want, tag)
		all.Go(func() {
			args := []string{"feed", "sources", "set", "many", "--kind", "newsapi", "--enabled=false", "--add-tag", tag, "--data", testDir}
			if i == 0 {
				args = append(args, "--add-tag", "start")
			}
			if got := run(t.Context(), "", args...); got.status != 0 {
				t.Errorf("set --add-tag %q: got %+v, want status 0", tag, got)
			}
		})
	}
	all.Wait()
	if shown := p.sources("show", "many"); !strings.Contains(shown.out, "tags          "+strings.Join(want, ", ")+"\n") {
		t.Errorf("after all changes: got %+v, want the tags %v", shown, want)
	}
	p.sources("delete", "many")
}

func TestFeedSourcesOPML(t *testing.T) {
	p := newPerson(t)
	path := filepath.Join(t.TempDir(), "feeds.opml")
	document := `<opml version="2.0"><body><outline text="Go"><outline type="rss" text="The Go Blog" xmlUrl="https://go.dev/blog/feed.atom"/></outline>` +
		`<outline text="Wrong" xmlUrl="ftp://example.com/"/></body></opml>`
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	got := p.sources("import", path, "--interval", "24h", "--tags", "opml,mine")
	got.want(t, 1, "created  the-go-blog  https://go.dev/blog/feed.atom\nrefused  Wrong        ftp://example.com/  "+
		"url is not an http or https URL of at most 2048 bytes with a host and without a user name\n", "assay: 1 of 2 refused\n")
	p.sources("import", path, "--json").want(t, 1, `{"created":[],"existing":[{"name":"the-go-blog","title":"The Go Blog","url":"https://go.dev/blog/feed.atom"}],`+
		`"refused":[{"title":"Wrong","url":"ftp://example.com/","reasons":["url is not an http or https URL of at most 2048 bytes with a host and without a user name"]}]}`+"\n", "assay: 1 of 2 refused\n")
	if exported := p.sources("export"); exported.status != 0 || !strings.Contains(exported.out, `title="the-go-blog" xmlUrl="https://go.dev/blog/feed.atom" category="opml,mine,Go"`) {
		t.Errorf("export: got %+v, want the imported source", exported)
	}
	p.sources("export", "-o", path).want(t, 0, "", "")
	p.sources("import", path).want(t, 0, "existing  the-go-blog  https://go.dev/blog/feed.atom\n", "")
	p.sources("delete", "the-go-blog").want(t, 0, "the-go-blog  deleted\n", "")
}
