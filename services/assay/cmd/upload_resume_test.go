package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// TestUploadIsResumedByKeysOfSameOwner checks that an interrupted upload can be resumed only with API keys of its owner.
func TestUploadIsResumedByKeysOfSameOwner(t *testing.T) {
	owners := map[string]string{"Bearer of-anna": "anna", "Bearer of-annas-laptop": "anna", "Bearer of-bob": "bob"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/me" {
			t.Errorf("unexpected request for %s", r.URL)
		}
		fmt.Fprintf(w, `{"owner":%q,"proven":true}`, owners[r.Header.Get("Authorization")])
	}))
	defer server.Close()
	file, err := os.Open(write(t, "a.txt", "one two")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // opened for reading only
	begun := unfinished{dir: filepath.Join(t.TempDir(), "uploads")}
	key := func(token string) string {
		t.Helper()
		c, err := client.New(client.Config{Server: server.URL, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		owner, err := ownerOf(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		b, err := begin(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		begun.used = map[string]bool{} // simulates a new run
		if b, err = begun.resume(b, c.Server(), owner, "a.txt", ""); err != nil {
			t.Fatal(err)
		}
		return b.Key
	}
	first := key("of-anna")
	if key("of-anna") != first || key("of-annas-laptop") != first {
		t.Error("with API keys of the same owner: got different idempotency keys, want the same")
	}
	if key("of-bob") == first || key("of-anna") != first {
		t.Error("with an API key of another owner: got the same idempotency key, want another")
	}
}
