package outcomes

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// listsArePaged: pages of any size return every file once, newest first, with and without a filter by status, and even
// while files are added.
func listsArePaged(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	const files = 60
	var all, completed, failed, pending []string
	for i := range files {
		name := fmt.Sprintf("%02d", i)
		var id string
		switch i % 4 {
		case 0, 1:
			id = system.UploadMultipart(t, c, name, "text/plain", []byte(name)).FileID
			completed = append(completed, id)
		case 2:
			id = system.UploadMultipart(t, c, name, "text/plain", []byte("%PDF-1.7\n1 0 obj\n"+name)).FileID
			failed = append(failed, id)
		case 3:
			id = system.Reserve(t, c, name, "text/plain", name).FileID
			pending = append(pending, id)
		}
		all = append(all, id)
	}
	for _, id := range slices.Concat(completed, failed) {
		system.Await(t, c, id)
	}
	for _, limit := range []int{1, 7, 59, 60, 61, 1000} {
		for status, want := range map[string][]string{
			"": all, client.Completed: completed, client.Failed: failed, client.Pending: pending, client.InProgress: nil,
		} {
			var got []string
			for file, err := range c.List(system.Within(t), client.Listing{Status: status, Limit: limit}) {
				if err != nil {
					t.Fatal(err)
				}
				if file.Result != nil || file.OwnerID != c.OwnerID() {
					t.Errorf("the list contains %s, want a file of the owner without a result", system.JSON(file))
				}
				got = append(got, file.FileID)
			}
			slices.Reverse(got) // oldest first, in order of creation
			if !slices.Equal(got, want) {
				t.Errorf("status %q in pages of %d: %d files %v, want %d %v", status, limit, len(got), got, len(want), want)
			}
		}
	}

	t.Run("while files are added", func(t *testing.T) {
		var got []string
		for file, err := range c.List(system.Within(t), client.Listing{Limit: 5}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, file.FileID)
			if len(got)%5 == 0 {
				system.Reserve(t, c, "later", "text/plain", "x")
			}
		}
		slices.Reverse(got)
		if !slices.Equal(got, all) {
			t.Errorf("got %v, want %v", got, all)
		}
	})
	t.Run("counts of words", func(t *testing.T) {
		resp, body := s.Ask(t, http.MethodGet, "/v1/owners/"+c.OwnerID()+"/files?counts=true&status=COMPLETED", nil, c.OwnerID())
		if n := strings.Count(body, `"totalWords":1`); resp.StatusCode != http.StatusOK || n != len(completed) {
			t.Errorf("the list returned %d %s, want the counts of %d files", resp.StatusCode, body, len(completed))
		}
	})
	t.Run("foreign cursor", func(t *testing.T) {
		page, err := c.ListPage(system.Within(t), client.Listing{Limit: 2})
		if err != nil || page.NextCursor == "" {
			t.Fatalf("ListPage = %v, %v; want a next cursor", page, err)
		}
		for name, cursor := range map[string]string{
			"of another list": page.NextCursor, "made up": "eyJhIjoxfQ", "changed": page.NextCursor[:len(page.NextCursor)-2],
		} {
			resp, body := s.Ask(t, http.MethodGet, "/v1/owners/"+system.NewOwner()+"/files?cursor="+url.QueryEscape(cursor), nil, "")
			if p := system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != "query.cursor" {
				t.Errorf("cursor %s: %s, want one error of query.cursor", name, body)
			}
		}
	})
	t.Run("unknown owner", func(t *testing.T) {
		resp, body := s.Ask(t, http.MethodGet, "/v1/owners/"+system.NewOwner()+"/files", nil, "")
		if resp.StatusCode != http.StatusOK || body != "{\"files\":[]}\n" {
			t.Errorf("the list returned %d %s, want 200 and no files", resp.StatusCode, body)
		}
	})
}
