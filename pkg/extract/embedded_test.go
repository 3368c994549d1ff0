package extract_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/svg"
)

// foreign matches embedded files that others have made.
var foreign = regexp.MustCompile(`\.(wasm\.br|bin|bin\.br|ttf\.br)$|/words\.tsv$`)

// TestEmbeddedIsComplete compares the list with the files of the module, and its versions with the pinned packages and the
// versions that results contain.
func TestEmbeddedIsComplete(t *testing.T) {
	var found, listed []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if foreign.MatchString(path) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range extract.Embedded() {
		listed = append(listed, c.File)
	}
	if slices.Sort(listed); !slices.Equal(listed, found) {
		t.Errorf("the list contains %q, want %q", listed, found)
	}
	pinned := ""
	for _, file := range []string{"wasm/fetch/main.go", "wasm/fetch/codecs.go", "wasm/fetch/font.go", "wasm/fetch/fonts.go", "letters/NOTICE", "sentiment/lexicon/SOURCE", "photo/faces/SOURCE", "photo/cutout/SOURCE"} {
		content, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		pinned += strings.ReplaceAll(string(content), " ", "@")
	}
	for _, c := range extract.Embedded() {
		_, source, _ := strings.Cut(c.Source, "/")
		if source = strings.ReplaceAll(source, "%40", "@"); !strings.Contains(pinned, source) {
			t.Errorf("%s: no file pins %s", c.Name, source)
		}
	}
	for name, version := range map[string]string{"pdfium": pdf.Version, "resvg": svg.Version, "RDKit": rdkit.Version} {
		if !slices.ContainsFunc(extract.Embedded(), func(c extract.Component) bool { return c.Name == name && name+" "+c.Version == version }) {
			t.Errorf("%s: want version %s in the list", name, version)
		}
	}
}
