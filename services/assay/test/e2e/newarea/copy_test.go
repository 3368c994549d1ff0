package newarea

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// template contains the area's own files, in the layout of the repository.
const template = "testdata/area"

// tree is a copy of the repository.
type tree struct {
	root string
	env  []string
}

// repository returns the folder of the repository.
func repository(t *testing.T) string {
	t.Helper()
	return filepath.Dir(goEnv(t, "GOWORK"))
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}

// newCopy copies the repository without its history and what tools have stored in it.
func newCopy(t *testing.T) tree {
	t.Helper()
	from, c := repository(t), tree{root: t.TempDir()}
	// With -trimpath, what is compiled in one copy is used in the next.
	c.env = append(os.Environ(), "GOFLAGS="+goEnv(t, "GOFLAGS")+" -trimpath", "PWD="+c.root, "GOWORK="+filepath.Join(c.root, "go.work"))
	c.add(t, from)
	const packages = "services/query/ui/app/node_modules"
	if installed := filepath.Join(from, packages); current(installed) {
		if err := os.Symlink(installed, filepath.Join(c.root, packages)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// current reports whether npm packages need not be installed. .ci/app decides by the same rule.
func current(packages string) bool {
	installed, err := os.Stat(filepath.Join(packages, ".package-lock.json"))
	locked, lockErr := os.Stat(filepath.Join(filepath.Dir(packages), "package-lock.json"))
	return err == nil && lockErr == nil && installed.ModTime().After(locked.ModTime())
}

// add copies the files of a folder into the tree, with the times of their last changes. None may exist.
func (c tree) add(t *testing.T, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && (slices.Contains([]string{".git", "node_modules"}, entry.Name()) || name == "bin"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(c.root, name), 0o755)
		case !entry.Type().IsRegular() || entry.Name() == ".git":
			return nil
		}
		return copyFile(path, filepath.Join(c.root, name))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(from, to string) error {
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, &fs.PathError{Op: "copy", Path: to, Err: fs.ErrExist})
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	about, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, content, about.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, about.ModTime(), about.ModTime())
}

// addArea adds the files of the area, and makes the edits.
func (c tree) addArea(t *testing.T) {
	t.Helper()
	c.add(t, template)
	for _, e := range edits {
		path := filepath.Join(c.root, e.path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, after, found := strings.Cut(string(content), "\n"+e.after+"\n")
		if !found || strings.Contains(after, "\n"+e.after+"\n") {
			t.Fatalf("%s does not contain this line exactly once: %q", e.path, e.after)
		}
		if err := os.WriteFile(path, []byte(before+"\n"+e.after+"\n"+e.text+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a command in the tree.
func (c tree) run(t *testing.T, name string, args ...string) {
	t.Helper()
	if strings.HasPrefix(name, ".") {
		name = filepath.Join(c.root, name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	var output bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.root, c.env, &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output.String())
	}
}

// own lists the parts of the paths of files that belong to the area alone: its folders, and files that have its name in
// folders with one such file for each area.
var own = []string{
	"/linecount/", "proto/assay/v1/linecount.proto", "pkg/event/linecount.pb.go",
	"services/assay/cmd/linecount.go", "services/assay/test/fault/audit/linecount.go",
}

// outside returns the changed files that do not belong to the area alone. Generated files do not count.
func outside(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, e := range edits {
		all = append(all, e.path)
	}
	err := filepath.WalkDir(template, func(path string, entry fs.DirEntry, err error) error {
		name, cutErr := filepath.Rel(template, path)
		if err == nil && !entry.IsDir() && !slices.ContainsFunc(own, func(part string) bool { return strings.Contains(name, part) }) {
			all = append(all, name)
		}
		return errors.Join(err, cutErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// documented returns the files in the table under "Add an area" in CONTRIBUTING.md.
func documented(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository(t), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(content), "\n## Add an area\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var all []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for i, part := range strings.Split(strings.Split(line, "|")[1], "`") {
			if i%2 == 1 {
				all = append(all, strings.ReplaceAll(part, "<area>", "linecount"))
			}
		}
	}
	slices.Sort(all)
	return all
}
