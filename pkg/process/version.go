package process

import "runtime/debug"

// release is set by the linker for images, whose build has no repository to
// read a version from; see deploy/compile.
var release string

// Version returns the version of this build: the version given to its image,
// otherwise the tag of a release, otherwise the commit, otherwise "devel".
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value[:min(len(setting.Value), 12)]
		}
	}
	return "devel"
}
