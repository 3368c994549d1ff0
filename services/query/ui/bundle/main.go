// Command bundle builds the web app: from the TypeScript and style sheets in app it generates the scripts, style
// sheet and HTML that package ui embeds, and the list of licenses of the packages in the scripts. The packages of
// app must be installed (npm ci), and Node.js.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	app := flag.String("app", "app", "source directory")
	out := flag.String("out", "dist", "output directory; existing content is deleted")
	tests := flag.Bool("tests", false, "build the unit tests instead, as programs for Node.js")
	flag.Parse()
	run := build
	if *tests {
		run = buildTests
	}
	if err := run(*app, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// metafile is the part of esbuild's metafile that this command uses.
type metafile struct {
	Inputs  modules
	Outputs map[string]struct {
		EntryPoint string
		CSSBundle  string
		Imports    []struct{ Path, Kind string }
		Inputs     map[string]struct{ BytesInOutput int }
	}
}

// classic is the script that is not a module.
const classic = "theme.ts"

func build(app, out string) error {
	app, err := filepath.Abs(app)
	if err != nil {
		return err
	}
	areas, err := describe(app)
	if err != nil {
		return err
	}
	labels, err := json.Marshal(areas.Labels)
	if err != nil {
		return err
	}
	text, err := json.Marshal(string(labels)) // as an object, it would become a module that all scripts import
	if err != nil {
		return err
	}
	options := api.BuildOptions{
		Define:        map[string]string{"areaLabels": string(text)},
		AbsWorkingDir: app, EntryPoints: []string{"main.tsx", "operations/main.tsx", classic, "style/style.css"}, Outdir: filepath.Join(app, "dist"),
		EntryNames: "[name]-[hash]", ChunkNames: "chunk-[hash]", AssetNames: "[name]-[hash]",
		Bundle: true, Splitting: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Target: api.ES2022,
		JSX: api.JSXAutomatic, JSXImportSource: "preact",
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Charset: api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone, Metafile: true, LogLevel: api.LogLevelWarning,
	}
	_, meta, err := bundle(options)
	if err != nil {
		return err
	}
	first, later := meta.Inputs.reach("main.tsx")
	options.Plugins = []api.Plugin{together(app, first, later)}
	output, meta, err := bundle(options)
	if err != nil {
		return err
	}
	for name, output := range meta.Outputs {
		if output.EntryPoint == classic && len(output.Imports) > 0 {
			return fmt.Errorf("%s imports %s, but pages run it as a classic script, before they are drawn", name, output.Imports[0].Path)
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	files := map[string][]byte{"pages.txt": []byte(strings.Join(areas.Paths, "\n") + "\n")}
	for _, file := range output {
		files[filepath.Base(file.Path)] = file.Contents
	}
	for html, script := range map[string]string{"index.html": "main.tsx", "operations.html": "operations/main.tsx"} {
		if files[html], err = page(app, html, script, meta); err != nil {
			return err
		}
	}
	if err := referenced(files); err != nil {
		return err
	}
	if files["icon.svg"], err = os.ReadFile(filepath.Join(app, "icon.svg")); err != nil {
		return err
	}
	if files["licenses.txt"], err = licenses(app, meta); err != nil {
		return err
	}
	for name, content := range files {
		if filepath.Ext(name) != ".txt" { // what browsers load is embedded as they receive it
			name += ".gz"
			if content, err = compress(content); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func compress(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// bundle runs esbuild.
func bundle(options api.BuildOptions) ([]api.OutputFile, metafile, error) {
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return nil, metafile{}, errors.New("the build of the app failed")
	}
	var meta metafile
	return result.OutputFiles, meta, json.Unmarshal([]byte(result.Metafile), &meta)
}

// buildTests writes one script to out for each file of app whose name ends in .test.ts.
func buildTests(app, out string) error {
	app, err := filepath.Abs(app)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	var tests []string
	err = filepath.WalkDir(app, func(path string, entry os.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".test.ts") {
			tests = append(tests, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(tests) == 0 {
		return fmt.Errorf("%s has no tests", app)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: app, EntryPoints: tests, EntryNames: "[name]", Outdir: out, OutExtension: map[string]string{".js": ".mjs"}, Write: true,
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", Sourcemap: api.SourceMapInline, LogLevel: api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return errors.New("the build of the tests failed")
	}
	return nil
}

// described is what a script prints about the areas.
type described struct {
	Paths  []string          // of their pages
	Labels map[string]string // by name
}

// describe runs the script in Node.js.
func describe(app string) (d described, err error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: app, EntryPoints: []string{"describe.ts"}, Outdir: filepath.Join(app, "dist"),
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", LogLevel: api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return d, errors.New("the build of describe.ts failed")
	}
	cmd := exec.Command("node", "--input-type=module")
	for _, file := range result.OutputFiles {
		if filepath.Ext(file.Path) == ".js" {
			cmd.Stdin = bytes.NewReader(file.Contents)
		}
	}
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(printed, &d)
	}
	if err != nil {
		return d, fmt.Errorf("describe.ts: %w", err)
	}
	return d, nil
}

// page fills the names of the scripts and of the style sheet into an HTML template, and preloads the imports of script.
func page(app, html, script string, meta metafile) ([]byte, error) {
	template, err := os.ReadFile(filepath.Join(app, html))
	if err != nil {
		return nil, err
	}
	var replace []string
	var preload strings.Builder
	for name, output := range meta.Outputs {
		if output.EntryPoint == "" {
			continue
		}
		replace = append(replace, "{{"+output.EntryPoint+"}}", "/ui/"+filepath.Base(name))
		if output.CSSBundle != "" {
			replace = append(replace, "{{"+output.EntryPoint+": style}}", "/ui/"+filepath.Base(output.CSSBundle))
		}
		if output.EntryPoint != script {
			continue
		}
		for _, imported := range output.Imports { // otherwise the browser would discover them only after loading the script
			if imported.Kind == "import-statement" {
				fmt.Fprintf(&preload, "<link rel=\"modulepreload\" href=\"/ui/%s\">\n", filepath.Base(imported.Path))
			}
		}
	}
	replace = append(replace, "{{preload}}\n", preload.String())
	filled := strings.NewReplacer(replace...).Replace(string(template))
	if strings.Contains(filled, "{{") {
		return nil, fmt.Errorf("%s refers to a file that is not built", html)
	}
	return []byte(filled), nil
}

// licenses returns the licenses of the packages whose code is in the scripts.
func licenses(app string, meta metafile) ([]byte, error) {
	used := map[string]bool{}
	for _, output := range meta.Outputs {
		for input, in := range output.Inputs {
			if _, inside, found := strings.Cut(input, "node_modules/"); found && in.BytesInOutput > 0 {
				parts := strings.SplitN(inside, "/", 3)
				name := parts[0]
				if strings.HasPrefix(name, "@") {
					name += "/" + parts[1]
				}
				used[name] = true
			}
		}
	}
	var names []string
	for name := range used {
		names = append(names, name)
	}
	slices.Sort(names)
	var out strings.Builder
	for i, name := range names {
		dir := filepath.Join(app, "node_modules", filepath.FromSlash(name))
		var about struct{ Version, License string }
		content, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(content, &about); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text, err := license(dir)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString("\n" + strings.Repeat("-", 72) + "\n\n")
		}
		fmt.Fprintf(&out, "The web app contains the npm package %s, version %s, under this license (%s):\n\n%s\n", name, about.Version, about.License, text)
	}
	return []byte(out.String()), nil
}

// license returns the text of the license of a package.
func license(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if name := strings.ToLower(entry.Name()); strings.HasPrefix(name, "licen") {
			text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			return strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), err
		}
	}
	return "", fmt.Errorf("%s has no license", dir)
}
