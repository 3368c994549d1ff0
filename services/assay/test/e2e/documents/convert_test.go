package documents

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestConverter: with a converter, documents in old formats have a text and a preview picture, and a document that the
// converter rejects states the reason.
func TestConverter(t *testing.T) {
	converter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, header, err := r.FormFile("files")
		if err != nil || header.Filename == "document.xls" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = w.Write(wasmtest.PDF{Pages: []string{fox}}.Bytes()) // the analyzer retries after an error
	}))
	defer converter.Close()
	s := system.StartServer(t, t.TempDir(), "ASSAY_CONVERTER="+converter.URL)
	old := slices.DeleteFunc(generated(), func(e expected) bool { return e.reason != "ASSAY_CONVERTER" })
	all := make([]document, len(old))
	for i, e := range old {
		all[i] = e.document
	}
	for _, o := range process(t, s.System, all) {
		explained(t, o)
		switch {
		case o.name == "plain.xls":
			if o.node.Status != client.LibraryProcessedPartially || !strings.Contains(o.reasons(), "cannot be converted") {
				t.Errorf("%s is %s (%s), want %s because it cannot be converted", o.name, o.node.Status, o.reasons(), client.LibraryProcessedPartially)
			}
		case o.node.Status != client.LibraryProcessed || o.text != fox+"\f" || len(o.node.Images) == 0:
			t.Errorf("%s is %s (%s), %q, %d pictures; want %s, %q, at least 1 picture",
				o.name, o.node.Status, o.reasons(), o.text, len(o.node.Images), client.LibraryProcessed, fox+"\f")
		}
	}
}
