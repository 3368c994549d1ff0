package pdf

import (
	_ "embed"
	"strings"

	"github.com/assay-project/assay/pkg/extract/packed"
)

//go:embed LICENSE
var license string

//go:embed NOTICE.gz
var others []byte

// Notice returns the licenses of PDFium, which must be distributed with it.
func Notice() string {
	return strings.TrimSpace("PDF documents are read by PDFium, as compiled to WebAssembly in the npm package @hyzyla/" + Version + ".\n\n" + license + "\n" + packed.Text(others))
}
