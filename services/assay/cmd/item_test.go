package cmd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestListReadsFullPages checks how many items the lists request per page from a server that has 250.
func TestListReadsFullPages(t *testing.T) {
	const stored = 250
	var limits []string // of the requests, in order
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		limits = append(limits, query.Get("limit"))
		limit, err := strconv.Atoi(query.Get("limit"))
		if err != nil {
			t.Errorf("%s: got the limit %q, want a number", r.URL, query.Get("limit"))
		}
		first, _ := strconv.Atoi(query.Get("cursor")) // 0 without a cursor
		last := min(first+limit, stored)
		page := map[string]any{r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]: make([]struct{}, last-first)}
		if last < stored {
			page["nextCursor"] = strconv.Itoa(last)
		}
		if err := json.NewEncoder(w).Encode(page); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	for _, test := range []struct {
		command string
		items   int
		limits  []string
	}{
		{"photo list --all", stored, []string{"100", "100", "100"}},
		{"photo list --limit 150", 150, []string{"100", "100"}},
		{"photo list", 20, []string{"20", "20"}}, // the second page tells whether there are more
		{"list --all", stored, []string{"200", "200"}},
		{"list --limit 30", 30, []string{"30", "30"}},
	} {
		limits = nil
		got := run(t.Context(), "", append(strings.Fields(test.command), "--json", "--server", server.URL, "--owner", "ann")...)
		if items := strings.Count(got.out, "\n"); got.status != 0 || items != test.items || !slices.Equal(limits, test.limits) {
			t.Errorf("%s: got status %d, %d items and pages of %v, want 0, %d and %v: %s",
				test.command, got.status, items, limits, test.items, test.limits, got.errors)
		}
	}
}
