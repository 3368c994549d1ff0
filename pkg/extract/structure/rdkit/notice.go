package rdkit

import (
	_ "embed"
	"strings"
)

//go:embed LICENSE
var license string

//go:embed NOTICE
var others string

// Notice returns the licenses of RDKit, which must be distributed with it.
func Notice() string {
	return strings.TrimSpace("Molecules are identified by RDKit, as compiled to WebAssembly in the npm package @rdkit/rdkit, " + Version + ".\n\n" + license + "\n" + others)
}
