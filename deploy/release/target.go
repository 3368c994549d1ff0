package release

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Target is a platform of the programs, in Go's terms.
type Target struct{ OS, Arch string }

// Targets are the platforms of a release.
var Targets = []Target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// Host returns the platform of this machine.
func Host() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// String returns the platform as os/arch.
func (t Target) String() string { return t.OS + "/" + t.Arch }

// program returns the name of the program's file.
func (t Target) program() string {
	if t.OS == "windows" {
		return "assay.exe"
	}
	return "assay"
}

// base returns the name of the archive without its extension.
func (t Target) base(version string) string {
	return "assay_" + version + "_" + t.OS + "_" + t.Arch
}

// archive returns the name of the archive.
func (t Target) archive(version string) string {
	if t.OS == "windows" {
		return t.base(version) + ".zip"
	}
	return t.base(version) + ".tar.gz"
}

// parseTargets parses a list such as linux/amd64,darwin/arm64. An empty list means all targets.
func parseTargets(list string) ([]Target, error) {
	if list == "" {
		return Targets, nil
	}
	var found []Target
	for name := range strings.SplitSeq(list, ",") {
		system, arch, _ := strings.Cut(strings.TrimSpace(name), "/")
		t := Target{system, arch}
		if !slices.Contains(Targets, t) {
			return nil, fmt.Errorf("%q is no target; the targets are %v", name, Targets)
		}
		found = append(found, t)
	}
	return found, nil
}
