package items

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// permissionsHold: the call for one item returns what the area's own call returns to the caller: to the owner, to a stranger, to
// the holder of a share link, and to a caller without an owner. It shows no owner.
func permissionsHold(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	shared := folder(t, c, "shared")
	link, err := c.CreateLink(system.Within(t), shared.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	public, linked, private := libraryFile(t, c, "public.txt", "", "public"), libraryFile(t, c, "linked.txt", shared.ID, "linked"), libraryFile(t, c, "private.txt", "", "private")
	if err := c.PublishNode(system.Within(t), public.ID, true); err != nil {
		t.Fatal(err)
	}
	text := system.UploadMultipart(t, c, "a.txt", "text/plain", []byte("one"))
	photo := system.SendPhoto(t, c, "grayscale", system.DrawPhoto(t, 47))
	posting := system.NewPosting("A lovely day.", system.NewTag())
	if status, _ := s.PostItem(t, posting); status != http.StatusCreated {
		t.Fatalf("post %s: %d, want 201", posting.SourceID, status)
	}
	s.Analyzed(t, posting.SourceID)
	token := "?link=" + link.Token
	for _, item := range []struct {
		area, id, query, own string // own is the path of the area's own call
	}{
		{"textfile", text.FileID, "", "/v1/files/"}, {"photojob", photo.JobID, "", "/v1/photos/"}, {"feed", posting.SourceID, "", "/v1/feed/items/"},
		{"library", public.ID, "", "/v1/library/nodes/"}, {"library", linked.ID, "", "/v1/library/nodes/"}, {"library", linked.ID, token, "/v1/library/nodes/"},
		{"library", private.ID, "", "/v1/library/nodes/"}, {"library", private.ID, token, "/v1/library/nodes/"}, {"library", linked.ID, "?link=wrong", "/v1/library/nodes/"},
	} {
		for name, caller := range map[string]string{"the owner": owner, "a stranger": system.NewOwner(), "a caller without an owner": ""} {
			header := map[string]string{}
			if caller != "" {
				header["X-Owner-Id"] = caller
			}
			id := url.PathEscape(item.id)
			want, _ := s.Ask(t, http.MethodGet, item.own+id+item.query, header, "")
			got, body := s.Ask(t, http.MethodGet, "/v1/items/"+item.area+"/"+id+item.query, header, "")
			if got.StatusCode != want.StatusCode {
				t.Errorf("the item %s%s of %s by %s: %d %s, want %d as the area's own call", item.id, item.query, item.area, name, got.StatusCode, body, want.StatusCode)
			}
			if strings.Contains(body, owner) {
				t.Errorf("the item %s shows its owner: %s", item.id, body)
			}
		}
	}
	got, err := s.Client(t, "").Item(system.Within(t), "feed", posting.SourceID)
	if err != nil || got.Status != "done" || got.AreaStatus != "analyzed" || got.ID != posting.SourceID || got.UpdatedAt.IsZero() || got.Links.Content != "" {
		t.Errorf("the feed message is %s, error %v, want it done and without content", system.JSON(got), err)
	}
	if ids := list(t, c, client.ItemListing{}); len(ids) < 3 {
		t.Errorf("the owner's items are %q, want those of each area", ids)
	}
}

// invalidRequestsAreExplained: a request without an owner, with an unknown area, status or limit, or with a cursor of another list
// returns a problem.
func invalidRequestsAreExplained(t *testing.T, s system.System) {
	owner, another := system.NewOwner(), system.NewOwner()
	c := s.Client(t, owner)
	for range 2 {
		system.Reserve(t, c, "a.txt", "text/plain", "text")
	}
	page, err := c.ItemPage(system.Within(t), client.ItemListing{Limit: 1})
	if err != nil || page.NextCursor == "" {
		t.Fatalf("got %+v, error %v, want a page with a cursor", page, err)
	}
	for _, request := range []struct {
		caller, path string
		status       int
		text         string
	}{
		{"", "", http.StatusBadRequest, "owner-required"},
		{owner, "?area=feed", http.StatusUnprocessableEntity, "textfile, photojob, library"},
		{owner, "?area=nowhere", http.StatusUnprocessableEntity, "query.area"},
		{owner, "?status=COMPLETED", http.StatusUnprocessableEntity, "query.status"},
		{owner, "?limit=201", http.StatusUnprocessableEntity, "query.limit"},
		{owner, "?cursor=wrong", http.StatusUnprocessableEntity, "query.cursor"},
		{owner, "?status=done&cursor=" + page.NextCursor, http.StatusUnprocessableEntity, "query.cursor"},
		{another, "?cursor=" + page.NextCursor, http.StatusUnprocessableEntity, "query.cursor"},
		{owner, "/nowhere/" + page.Items[0].ID, http.StatusNotFound, "not-found"},
		{owner, "/textfile/wrong", http.StatusNotFound, "not-found"},
		{owner, "/library/" + page.Items[0].ID, http.StatusNotFound, "not-found"},
	} {
		header := map[string]string{}
		if request.caller != "" {
			header["X-Owner-Id"] = request.caller
		}
		resp, body := s.Ask(t, http.MethodGet, "/v1/items"+request.path, header, "")
		if resp.StatusCode != request.status || !strings.Contains(body, request.text) || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("GET /v1/items%s: %d %s, want the problem %d with %q", request.path, resp.StatusCode, body, request.status, request.text)
		}
	}
}
