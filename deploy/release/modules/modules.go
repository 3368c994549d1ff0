// Package modules prepares the Go modules of the repository for a release. On the main branch, modules
// require each other at version v0.0.0 with replace directives. `go install` at a version rejects
// replace directives and `go get` ignores them. The go.mod files of a release therefore have none, and
// the modules of the repository require each other at the version of the release.
package modules

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// unreleased are the suffixes of the paths of modules that are not released: tests, and this module.
var unreleased = []string{"/test", "/deploy/release"}

// Module is a module of the repository.
type Module struct {
	Path string // such as github.com/assay-project/assay/pkg
	Dir  string // relative to the root, with slashes, such as pkg
}

// All returns the modules of a release: the modules of go.work in root, except those for tests and releases.
func All(root string) ([]Module, error) {
	content, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", content, nil)
	if err != nil {
		return nil, err
	}
	var modules []Module
	for _, use := range work.Use {
		m := Module{Dir: path.Clean(use.Path)}
		if content, err = os.ReadFile(m.file(root)); err != nil {
			return nil, err
		}
		if m.Path = modfile.ModulePath(content); m.Path == "" {
			return nil, fmt.Errorf("%s contains no module path", m.file(root))
		}
		if !slices.ContainsFunc(unreleased, func(suffix string) bool { return strings.HasSuffix(m.Path, suffix) }) {
			modules = append(modules, m)
		}
	}
	return modules, nil
}

// GoMod returns the go.mod file of a module for a release at a version, such as v0.1.0. It returns an
// error if the file replaces a module that is not part of the release.
func GoMod(root string, m Module, all []Module, version string) ([]byte, error) {
	if err := module.Check(m.Path, version); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(m.file(root))
	if err != nil {
		return nil, err
	}
	f, err := modfile.Parse(m.file(root), content, nil)
	if err != nil {
		return nil, err
	}
	released := func(name string) bool {
		return slices.ContainsFunc(all, func(m Module) bool { return m.Path == name })
	}
	for _, replace := range slices.Clone(f.Replace) {
		if !released(replace.Old.Path) {
			return nil, fmt.Errorf("%s replaces %s, which is not part of the release", m.file(root), replace.Old.Path)
		}
		if err := f.DropReplace(replace.Old.Path, replace.Old.Version); err != nil {
			return nil, err
		}
	}
	for _, require := range slices.Clone(f.Require) {
		if !released(require.Mod.Path) {
			continue
		}
		if err := f.AddRequire(require.Mod.Path, version); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// Write rewrites the go.mod files below root for a release, and returns the tags for the commit that contains them, one
// for each module.
func Write(root, version string) (tags []string, err error) {
	modules, err := All(root)
	if err != nil {
		return nil, err
	}
	files := make([][]byte, len(modules))
	for i, m := range modules {
		if files[i], err = GoMod(root, m, modules, version); err != nil {
			return nil, err
		}
	}
	for i, m := range modules {
		if err := os.WriteFile(m.file(root), files[i], 0o644); err != nil {
			return nil, err
		}
		tags = append(tags, m.Dir+"/"+version)
	}
	return tags, nil
}

func (m Module) file(root string) string {
	return filepath.Join(root, filepath.FromSlash(m.Dir), "go.mod")
}
