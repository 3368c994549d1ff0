package resvg

import (
	_ "embed"
	"strings"
)

//go:embed LICENSE
var license string

//go:embed NOTICE
var others string

// Notice contains the licenses of resvg, which must accompany it.
func Notice() string {
	return strings.TrimSpace("SVG is drawn by resvg.\n\n" + others + "\n" + license)
}
