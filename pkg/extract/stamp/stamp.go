// Package stamp names the libraries that produce results, with the versions with which the program was built.
package stamp

import (
	"path"
	"runtime/debug"
	"strings"
	"sync"
)

// Of returns the name of a module and its version, such as "mimetype 1.4.16". The name is the last element of the path
// without a major version. Programs without build information, such as tests, have no versions: it then returns the name.
func Of(module string) string {
	name := path.Base(strings.TrimSuffix(module, path.Base(module)))
	if base := path.Base(module); !isMajor(base) {
		name = base
	}
	if version := versions()[module]; version != "" {
		name += " " + strings.TrimPrefix(version, "v")
	}
	return name
}

// isMajor reports whether the last element of a module path is a major version, such as v2.
func isMajor(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// versions returns the versions of the modules of the program.
var versions = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return found
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = &debug.Module{Path: module.Path, Version: module.Replace.Version}
		}
		found[module.Path] = module.Version
	}
	return found
})
