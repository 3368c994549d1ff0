package rdkit

import (
	_ "embed"
	"strings"

	"github.com/assay-project/assay/pkg/extract/packed"
)

//go:embed LICENSE
var license string

//go:embed NOTICE.gz
var others []byte

// Notice returns the licenses of RDKit, which must be distributed with it.
func Notice() string {
	return strings.TrimSpace("Molecules are identified by RDKit, as compiled to WebAssembly in the npm package @rdkit/rdkit, " + Version + ".\n\n" + license + "\n" + packed.Text(others))
}
