package documents

import (
	"regexp"
	"testing"

	"github.com/assay-project/assay/pkg/reason"
)

// internal matches texts of engines, of the Go runtime and of Go packages.
var internal = regexp.MustCompile(`wasm error|goroutine|runtime error|\.go:\d|0x[0-9a-f]{2,}|\$\d+\(|(?i:pdfium|resvg|libheif|wazero)|` +
	`\b(asn1|base64|binary|bmp|cfb|charmap|csv|flate|gif|gzip|html|image|io|jpeg|json|lzw|mime|png|strconv|tiff|utf8|webp|xml|zip|zlib): `)

// forUsers fails the test unless every reason of a file and its steps is from the list of package reason.
func forUsers(t *testing.T, o outcome) {
	t.Helper()
	all := []string{o.node.ErrorMessage, o.workflow.FailureMessage}
	for _, s := range o.workflow.Steps {
		all = append(all, s.Reason)
	}
	for _, text := range all {
		if text != "" && (!reason.Listed(text) || internal.MatchString(text)) {
			t.Errorf("%s: the reason is %q, want one from the list of package reason", o.name, text)
		}
	}
}
