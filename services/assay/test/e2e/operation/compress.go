package operation

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// compressesJSON: a list is compressed for clients that accept gzip. An item and live events are not.
func compressesJSON(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	const files = 20
	var last client.Reserved
	for i := range files {
		var err error
		if last, err = c.Reserve(t.Context(), client.Reservation{FileName: fmt.Sprintf("%d.txt", i), Size: 5, ContentType: "text/plain"}); err != nil {
			t.Fatal(err)
		}
	}
	get := func(path string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.HTTP+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Owner-Id", owner)
		req.Header.Set("Accept-Encoding", "gzip") // the transport does not decompress what it did not ask for itself
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("GET %s: %s, want 200", path, resp.Status)
		}
		return resp
	}
	list := get("/v1/owners/" + owner + "/files?limit=100")
	if list.Header.Get("Content-Encoding") != "gzip" || list.Header.Get("Vary") != "Accept-Encoding" || list.ContentLength <= 0 {
		t.Fatalf("a list: %v and %d bytes, want gzip, Vary and a length", list.Header, list.ContentLength)
	}
	plain, err := gzip.NewReader(list.Body)
	if err != nil {
		t.Fatal(err)
	}
	var page struct{ Files []json.RawMessage }
	if err := json.NewDecoder(plain).Decode(&page); err != nil || len(page.Files) != files {
		t.Errorf("the list has %d files, %v; want %d", len(page.Files), err, files)
	}
	for _, path := range []string{"/v1/files/" + last.FileID, "/v1/events?owner=" + owner} {
		resp := get(path)
		if coding := resp.Header.Get("Content-Encoding"); coding != "" {
			t.Errorf("GET %s: got the coding %s, want none", path, coding)
		}
		if first, err := bufio.NewReader(resp.Body).ReadByte(); err != nil {
			t.Errorf("GET %s: got %s, %v; want content at once", path, strconv.Quote(string(first)), err)
		}
	}
}
