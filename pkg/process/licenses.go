package process

import (
	_ "embed"
	"strings"

	"github.com/assay-project/assay/pkg/process/modules"
)

// license is the project's own license: a copy of the file at the root of the
// repository, which a package cannot embed.
//
//go:embed LICENSE
var license string

// Licenses returns the license of this program, the given notices, and those of all Go modules that it
// links.
func Licenses(notices ...string) string {
	parts := []string{"Assay is under this license:\n\n" + strings.Trim(license, "\n")}
	for _, notice := range notices {
		parts = append(parts, strings.Trim(notice, "\n"))
	}
	for _, section := range modules.Linked() {
		parts = append(parts, strings.Trim(section.Notice(), "\n"))
	}
	return strings.Join(parts, "\n\n"+strings.Repeat("-", 72)+"\n\n") + "\n"
}
