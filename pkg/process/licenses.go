package process

import (
	_ "embed"
	"strings"
)

// license is the project's own: a copy of the one at the root of the repository,
// where a package cannot embed it from.
//
//go:embed LICENSE
var license string

// Licenses returns the license of this program, followed by the notices of its dependencies that
// require one.
func Licenses(notices ...string) string {
	parts := []string{"Assay is under this license:\n\n" + strings.Trim(license, "\n")}
	for _, notice := range notices {
		parts = append(parts, strings.Trim(notice, "\n"))
	}
	return strings.Join(parts, "\n\n"+strings.Repeat("-", 72)+"\n\n") + "\n"
}
