package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// modules are the imports between modules, from esbuild's metafile.
type modules map[string]struct {
	Imports []struct{ Path, Kind string }
}

// reach returns the modules that a script imports, directly or not, and those among its dynamic imports that it does not also
// load at once.
func (m modules) reach(script string) (first, later []string) {
	seen, dynamic := map[string]bool{script: true}, map[string]bool{}
	for next := []string{script}; len(next) > 0; {
		path := next[0]
		next = next[1:]
		for _, imported := range m[path].Imports {
			switch {
			case imported.Kind == "dynamic-import":
				dynamic[imported.Path] = true
			case !seen[imported.Path]:
				seen[imported.Path] = true
				first = append(first, imported.Path)
				next = append(next, imported.Path)
			}
		}
	}
	for pending := []string{}; ; { // dynamic imports of modules that are loaded later
		for path := range dynamic {
			if !seen[path] {
				pending = append(pending, path)
			}
		}
		if len(pending) == 0 {
			return first, later
		}
		for _, path := range pending {
			seen[path] = true
			later = append(later, path)
			_, more := m.reach(path)
			for _, path := range more {
				dynamic[path] = true
			}
		}
		pending = nil
	}
}

// together lets every script that is loaded later import all modules that a script loads first, which esbuild then writes to one
// file. Otherwise it writes a file for each set of scripts that share modules, and a slow connection waits for each of
// them: in November 2026 the first page loaded 27 files.
func together(app string, first, later []string) api.Plugin {
	var imports strings.Builder
	for _, path := range first {
		if ext := filepath.Ext(path); (ext == ".ts" || ext == ".tsx") && !strings.HasPrefix(path, "node_modules/") {
			fmt.Fprintf(&imports, "\nimport %q;", filepath.Join(app, path))
		}
	}
	return api.Plugin{Name: "together", Setup: func(build api.PluginBuild) {
		for _, path := range later {
			filter := "^" + regexp.QuoteMeta(filepath.Join(app, path)) + "$"
			build.OnLoad(api.OnLoadOptions{Filter: filter}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				source, err := os.ReadFile(args.Path)
				if err != nil {
					return api.OnLoadResult{}, err
				}
				loader, contents := api.LoaderTSX, string(source)+imports.String()
				if filepath.Ext(args.Path) == ".ts" {
					loader = api.LoaderTS
				}
				return api.OnLoadResult{Contents: &contents, Loader: loader}, nil
			})
		}
	}}
}

// referenced removes the style sheets that no page and no script refers to: esbuild also writes those of scripts that are
// loaded later, whose rules are in the style sheet of the page.
func referenced(files map[string][]byte) error {
	sheets := 0
	for name := range files {
		if filepath.Ext(name) != ".css" {
			continue
		}
		used := slices.ContainsFunc([]string{"index.html", "operations.html"}, func(page string) bool { return strings.Contains(string(files[page]), name) })
		if sheets++; !used {
			delete(files, name)
			sheets--
		}
	}
	if sheets == 0 {
		return errors.New("the pages refer to no style sheet")
	}
	return nil
}
