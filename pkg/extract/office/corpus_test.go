package office_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/recall"
)

const (
	maxExport = 4 << 20 // bytes; rows that repeat up to the last one export more
	maxDrawn  = 64 << 20
	batch     = 20 // documents that LibreOffice exports at once
	sheets    = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false,false,false,-1"
	plain     = "txt:Text (encoded):UTF8"
)

// TestPublicDocuments compares the texts of the documents in the subfolders of the folder ASSAY_OFFICE with those that
// LibreOffice exports: the mean share of its words that are found. LibreOffice exports no text of presentations. It draws the
// slides of ODP as SVG, with the complete words and each master once. It compares words with letters, because LibreOffice
// displays numbers and errors differently from Excel, whose results package numberformat is tested with.
func TestPublicDocuments(t *testing.T) {
	dir := os.Getenv("ASSAY_OFFICE")
	if dir == "" {
		t.Skip("ASSAY_OFFICE names no folder of office documents")
	}
	for _, format := range []struct {
		ending, filter string
		want           float64
	}{
		{"docx", plain, 0.98}, {"pptx", "pdf", 0.96}, {"xlsx", sheets, 0.98}, {"odt", plain, 0.99}, {"ods", sheets, 0.99}, {"odp", "svg", 0.99},
	} {
		t.Run(format.ending, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, "*", "*."+format.ending))
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			files = slices.DeleteFunc(files, func(name string) bool {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				d, err := office.Read(t.Context(), bytes.NewReader(data), int64(len(data)), office.Limits{})
				if err != nil {
					t.Logf("%s: %v", name, err)
					return true
				}
				texts[name] = d.Text
				return false
			})
			var shares []float64
			for some := range slices.Chunk(files, batch) {
				for name, want := range export(t, some, format.ending, format.filter) {
					if len(want) < recall.MinWords {
						continue
					}
					share := recall.Of(want, words(texts[name]))
					if shares = append(shares, share); share < 0.9 {
						t.Logf("%s: %.3f of %d words", name, share, len(want))
					}
				}
			}
			sum := 0.0
			for _, share := range shares {
				sum += share
			}
			if mean := sum / float64(max(1, len(shares))); mean < format.want {
				t.Errorf("the mean recall of %d documents is %.3f, want %.3f", len(shares), mean, format.want)
			} else {
				t.Logf("the mean recall of %d documents is %.3f", len(shares), mean)
			}
		})
	}
}

// export returns the words of those documents that LibreOffice exports. It leaves out documents after which it stops.
func export(t *testing.T, files []string, ending, filter string) map[string][]string {
	t.Helper()
	out := t.TempDir()
	arguments := []string{"-k", "5", "900", "soffice", "-env:UserInstallation=file://" + t.TempDir(), "--headless", "--norestore", "--convert-to", filter, "--outdir", out}
	err := exec.CommandContext(t.Context(), "timeout", append(arguments, files...)...).Run() // ends all processes of LibreOffice
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	texts := map[string][]string{}
	for _, name := range files {
		base := filepath.Join(out, strings.TrimSuffix(filepath.Base(name), "."+ending))
		made, err := filepath.Glob(base + ".*")
		if filter == sheets {
			made, err = filepath.Glob(base + "-*.csv")
			made = slices.DeleteFunc(made, func(path string) bool { return longer(files, name, path) })
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range made {
			texts[name] = append(texts[name], exported(t, path)...)
		}
	}
	return texts
}

// longer reports whether an export is that of another file, whose name begins with the given one and a dash.
func longer(files []string, name, export string) bool {
	base := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	return slices.ContainsFunc(files, func(other string) bool {
		return len(base(other)) > len(base(name)) && strings.HasPrefix(base(export), base(other)+"-")
	})
}

// notText matches what spreadsheets display for numbers and errors.
var notText = regexp.MustCompile(`Err:\d+|#(?:REF!|N/A|NAME\?|VALUE!|DIV/0!|NUM!|NULL!)|\d[0-9.]*E[+-]\d+`)

// exported returns the words of a file that LibreOffice has made.
func exported(t *testing.T, path string) []string {
	t.Helper()
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case filepath.Ext(path) == ".svg" && info.Size() <= maxDrawn:
		text, err := drawn(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return words(text)
	case info.Size() > maxExport:
		return nil
	case filepath.Ext(path) == ".pdf":
		text, err := exec.CommandContext(t.Context(), "pdftotext", "-enc", "UTF-8", path, "-").Output()
		if err != nil {
			t.Logf("%s: %v", path, err)
		}
		return words(string(text))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return words(notText.ReplaceAllString(string(text), " "))
}

// drawn returns the text of the slides and masters in an SVG file of LibreOffice, with their footers, without placeholders.
func drawn(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	var text strings.Builder
	inside := []bool{false}
	for d := xml.NewDecoder(file); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			shown := inside[len(inside)-1] || token.Name.Local == "text"
			for _, a := range token.Attr {
				switch {
				case a.Name.Local == "id" && strings.HasPrefix(a.Value, "ooo:text_field"):
					shown = true
				case a.Name.Local == "class" && a.Value == "PlaceholderText":
					shown = false
				case a.Name.Local == "class" && a.Value == "TextPosition": // a line
					text.WriteByte('\n')
				}
			}
			inside = append(inside, shown)
		case xml.CharData:
			if inside[len(inside)-1] {
				text.Write(token)
			}
		case xml.EndElement:
			if inside = inside[:len(inside)-1]; token.Name.Local == "g" {
				text.WriteByte('\n')
			}
		}
	}
}

// words returns the words of a text that contain a letter, in lower case.
func words(text string) []string {
	return slices.DeleteFunc(recall.Words(text), func(word string) bool { return !strings.ContainsFunc(word, unicode.IsLetter) })
}
