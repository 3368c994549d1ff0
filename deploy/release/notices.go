package release

import (
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/process/modules"
)

// notices returns the licenses that must accompany a program: what the program for this machine prints, and the sections
// of modules that only the program of the target links.
func notices(about described, all []linked) string {
	text := strings.TrimRight(about.licenses, "\n")
	for _, section := range modules.All() {
		var missing []string
		for _, name := range section.Modules {
			path, version, _ := strings.Cut(name, " ")
			isLinked := slices.ContainsFunc(all, func(m linked) bool { return m.path == path && m.version == version })
			if isLinked && !strings.Contains(about.licenses, "  "+name+", whose source is at ") {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			section.Modules = missing
			text += "\n\n" + strings.Repeat("-", 72) + "\n\n" + strings.Trim(section.Notice(), "\n")
		}
	}
	return text + "\n"
}
