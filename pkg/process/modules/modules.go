// Package modules contains the licenses and notices of the Go modules that the programs link.
package modules

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
)

// Go is the name under which the Go standard library and runtime are listed.
const Go = "Go standard library"

// packed contains one section for each set of license texts, compressed with gzip: a line for each module with these texts, an
// empty line, and the texts. TestModuleLicenses in services/assay writes it.
//
//go:embed modules.txt.gz
var packed []byte

// separator ends a section.
const separator = "\f\n"

// Section contains the licenses and notices of some modules.
type Section struct {
	Modules []string // path and version, or Go
	Text    string
}

// Format returns the content of the embedded file.
func Format(sections []Section) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, s := range sections {
		text := strings.Join(s.Modules, "\n") + "\n\n" + strings.Trim(strings.ReplaceAll(s.Text, "\f", ""), "\n") + "\n" + separator
		if _, err := io.WriteString(w, text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// All returns the sections of all programs. It panics if the embedded file is damaged.
func All() []Section {
	var content []byte
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		content, err = io.ReadAll(r)
	}
	if err != nil {
		panic(fmt.Sprintf("the embedded licenses are damaged: %v", err))
	}
	var all []Section
	for section := range strings.SplitSeq(strings.TrimSuffix(string(content), separator), separator) {
		names, text, _ := strings.Cut(section, "\n\n")
		all = append(all, Section{strings.Split(names, "\n"), text})
	}
	return all
}

// Linked returns the sections of the modules that this program links, or of all programs if the program
// has no record of its modules.
func Linked() []Section {
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		return All()
	}
	linked := map[string]bool{Go: true}
	for _, module := range info.Deps {
		linked[module.Path+" "+module.Version] = true
	}
	var found []Section
	for _, s := range All() {
		if s.Modules = slices.DeleteFunc(s.Modules, func(name string) bool { return !linked[name] }); len(s.Modules) > 0 {
			found = append(found, s)
		}
	}
	return found
}

// Notice returns the notice of a section: its modules, the location of their source, and their
// licenses.
func (s Section) Notice() string {
	var out strings.Builder
	out.WriteString("This program contains:\n\n")
	for _, name := range s.Modules {
		path, version, versioned := strings.Cut(name, " ")
		if name == Go || !versioned {
			out.WriteString("  " + name + ", whose source is at https://go.dev/dl\n")
			continue
		}
		out.WriteString("  " + path + " " + version + ", whose source is at https://proxy.golang.org/" + escaped(path) + "/@v/" + escaped(version) + ".zip\n")
	}
	return out.String() + "\nunder these terms:\n\n" + s.Text
}

// escaped returns a path or version in the form of the module proxy protocol: a capital letter
// becomes "!" and the letter in lower case.
func escaped(name string) string {
	var out strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			out.WriteByte('!')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
