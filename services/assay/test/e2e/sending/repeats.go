package sending

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// repeatsReturnTheFirstItem: a request with a used idempotency key returns the item of the first one, even after the content
// was deleted. Other parameters are rejected. Once the new item is deleted too, there is nothing to create it from.
func repeatsReturnTheFirstItem(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	picture := string(system.DrawPhoto(t, 4))
	for _, from := range []item{text(t, c, "a.jpg", "", picture), photo(t, c, []byte(picture)), file(t, c, "a.jpg", "", picture)} {
		from.ended(t, c)
		first, end := map[string]item{}, map[string]string{}
		areas := []string{client.TextFileArea, client.PhotoArea, client.LibraryArea}
		request := func(to string) client.Sending { return client.Sending{To: to, Key: "of " + from.area + from.id} }
		for _, to := range areas {
			first[to] = send(t, c, from, request(to))
			if again := send(t, c, from, request(to)); again != first[to] {
				t.Errorf("%s to %s again: got %+v, want %+v", from.area, to, again, first[to])
			}
			_, end[to] = first[to].ended(t, c)
			other := request(to)
			other.Name = "other.jpg"
			refused(t, c, from, other, http.StatusUnprocessableEntity, "idempotency-key-reused")
		}
		from.delete(t, c)
		for _, to := range areas {
			if again := send(t, c, from, request(to)); again != first[to] {
				t.Errorf("%s to %s after the content was deleted: got %+v, want %+v", from.area, to, again, first[to])
			}
			if _, got := first[to].ended(t, c); got != end[to] {
				t.Errorf("%s to %s: repeated requests moved the item from %s to %s", from.area, to, end[to], got)
			}
			first[to].delete(t, c)
			refused(t, c, from, request(to), http.StatusNotFound, "not-found")
		}
	}
	anonymous := s.Client(t, "")
	refused(t, anonymous, text(t, c, "a.txt", "text/plain", "a"), client.Sending{To: client.LibraryArea, Key: "k"}, http.StatusBadRequest, "owner-required")
}

// concurrentDeletesLeaveNothing: while an item is deleted, it is either sent completely, or refused without a new item.
func concurrentDeletesLeaveNothing(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	content, refusals := system.RandomText(3, 50_000), []int{http.StatusNotFound, http.StatusGone}
	header := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"} // without an idempotency key
	sent := []string{}
	for range 30 {
		from := text(t, c, "a.txt", "text/plain", content)
		from.ended(t, c)
		deleted := make(chan error)
		go func() { deleted <- c.Delete(t.Context(), from.id) }()
		resp, body := s.Ask(t, http.MethodPost, "/v1/items/textfile/"+from.id+"/send", header, `{"to":"textfile"}`)
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		switch {
		case resp.StatusCode == http.StatusAccepted:
			var made client.SentItem
			system.Decode(t, body, &made)
			sent = append(sent, made.ID)
			item{made.Area, made.ID}.wantEnd(t, c, "a.txt", client.Completed, content)
		case !slices.Contains(refusals, resp.StatusCode):
			t.Errorf("a concurrent request returned %d %s, want 202, 404 or 410", resp.StatusCode, body)
		}
	}
	found := []string{}
	for f, err := range c.List(system.Within(t), client.Listing{}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, f.FileID)
	}
	slices.Sort(sent)
	slices.Sort(found)
	if !slices.Equal(found, sent) {
		t.Errorf("the owner has the files %v, want %v", found, sent)
	}
	t.Logf("%d of 30 items were sent before they were deleted", len(sent))
}
