package syndication

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oracleEntry is an entry as feedparser reads it, see testdata/feedparser_entries.py.
type oracleEntry struct {
	ID    string `json:"id"`
	Link  string `json:"link"`
	Title string `json:"title"`
	Date  string `json:"date"` // seconds since 1970, or empty
}

// oracleFeed is a feed as feedparser reads it.
type oracleFeed struct {
	ContentType string        `json:"contentType"`
	URL         string        `json:"url"`
	Loose       bool          `json:"loose"` // not well-formed XML
	Entries     []oracleEntry `json:"entries"`
}

// maxCompared is the number of entries of a document that are compared, so that no document dominates.
const maxCompared = 25

// TestFeedparser compares entries with those of feedparser. The folder of the environment variable ASSAY_FEEDS contains
// feeds; ASSAY_PYTHON is a Python that has feedparser, otherwise python3. See docs/feed-sources.md.
func TestFeedparser(t *testing.T) {
	folder := os.Getenv("ASSAY_FEEDS")
	if folder == "" {
		t.Skip("ASSAY_FEEDS does not name a folder of feeds")
	}
	script := exec.CommandContext(t.Context(), cmp.Or(os.Getenv("ASSAY_PYTHON"), "python3"), "testdata/feedparser_entries.py", folder) //nolint:gosec // the developer's Python
	script.Stderr = os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	var oracle map[string]oracleFeed
	if err := json.Unmarshal(out, &oracle); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range oracle {
		names = append(names, name)
	}
	slices.Sort(names)
	kinds := []string{"entries", "id", "link", "title", "date"}
	same, all := map[string]int{}, map[string]int{}
	for _, name := range names {
		body, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		want := oracle[name]
		compare := func(kind string, equal bool, got, wanted any) {
			all[kind]++
			if equal {
				same[kind]++
			} else {
				t.Logf("%s%s: %s: got %q, feedparser has %q", name, map[bool]string{true: " (not well-formed)"}[want.Loose], kind, got, wanted)
			}
		}
		feed, err := parse(body, want.ContentType, want.URL)
		compare("entries", len(feed.Entries) == len(want.Entries), []any{len(feed.Entries), err}, len(want.Entries))
		if len(feed.Entries) != len(want.Entries) {
			continue
		}
		for i, w := range want.Entries[:min(len(want.Entries), maxCompared)] {
			e := feed.Entries[i]
			title := strings.Join(strings.Fields(textOf(e.Title)), " ")
			for _, values := range [][3]string{
				{"id", e.ID, w.ID}, {"link", e.Link, w.Link}, {"title", title, w.Title}, {"date", seconds(e.Published), w.Date},
			} {
				if kind, got, wanted := values[0], values[1], values[2]; got != "" || wanted != "" { // a value that neither has is no agreement
					compare(kind, got == wanted, got, wanted)
				}
			}
		}
	}
	agreed, total := 0, 0
	for _, kind := range kinds {
		t.Logf("%s: %d of %d the same (%.1f %%)", kind, same[kind], all[kind], 100*float64(same[kind])/float64(all[kind]))
		agreed, total = agreed+same[kind], total+all[kind]
	}
	t.Logf("%d documents, %d of %d values the same (%.2f %%)", len(names), agreed, total, 100*float64(agreed)/float64(total))
	if len(names) < 300 || agreed*100 < total*98 {
		t.Errorf("%d of %d values of %d documents are the same, want 98 %% of at least 300 documents", agreed, total, len(names))
	}
}

// seconds returns a time in seconds since 1970, or an empty string.
func seconds(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return strconv.FormatInt(at.Unix(), 10)
}
