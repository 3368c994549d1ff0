package svg

import (
	_ "embed"
	"strings"
)

//go:embed LICENSE
var license string

//go:embed NOTICE
var others string

// Notice returns the licenses of resvg, which must be distributed with it.
func Notice() string {
	return strings.TrimSpace("SVG is drawn by resvg.\n\n" + others + "\n" + license)
}
