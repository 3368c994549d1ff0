package sheet

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/plaintext"
)

// sets are the folders of public tables with known dialects, each with the file of its dialects.
var sets = []struct{ folder, dialects string }{
	{"CSV_Wrangling", "CCSV-manual_Dialect_Annotation.txt"},
	{"CSV", "POLLOCK-dialect_annotations.txt"},
	{"W3C-CSVW", "W3C-CSVW-dialect_annotations.txt"},
}

// TestKnownDialects detects the dialects of public tables: those of van den Burg et al. (2019) from GitHub, of the
// benchmark Pollock, and of the tests of CSV on the Web, as github.com/ws-garcia/CSVsniffer has collected and annotated
// them. The folder python of that repository is that of the environment variable ASSAY_TABLES. A dialect is right if the
// delimiter is, and the quotation mark if the file contains it.
func TestKnownDialects(t *testing.T) {
	folder := os.Getenv("ASSAY_TABLES")
	if folder == "" {
		t.Skip("ASSAY_TABLES does not name the folder python of CSVsniffer")
	}
	marks := map[string]byte{
		"comma": ',', "semicolon": ';', "tab": '\t', "vslash": '|', "nsign": '#', "space": ' ', "doublequote": '"', "singlequote": '\'',
	}
	right, all := 0, 0
	for _, set := range sets {
		list, err := os.ReadFile(filepath.Join(folder, "ground truth", set.dialects))
		if err != nil {
			t.Fatal(err)
		}
		good, files := 0, 0
		for _, line := range strings.Split(string(list), "\n")[2:] {
			columns := strings.Split(strings.TrimSpace(line), "|")
			if len(columns) < 4 {
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, set.folder, columns[0]))
			if err != nil {
				continue // the largest files are not stored
			}
			files++
			delimiter, quote := marks[columns[2]], marks[columns[3]]
			got, err := dialectOf(data)
			if err == nil && got.delimiter == delimiter && (got.quote == quote || bytes.IndexByte(data, quote) < 0) {
				good++
			} else {
				t.Logf("%s/%s: got %q %q, want %q %q, %v", set.folder, columns[0], got.delimiter, got.quote, delimiter, quote, err)
			}
		}
		t.Logf("%s: %d of %d right", set.folder, good, files)
		right, all = right+good, all+files
	}
	t.Logf("%d of %d right", right, all)
	if all == 0 || right*100 < all*95 {
		t.Errorf("%d of %d dialects right, want 95 %%", right, all)
	}
}

// dialectOf detects the dialect of a file.
func dialectOf(data []byte) (dialect, error) {
	charset, err := plaintext.Text{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}.Detect()
	if err != nil {
		return dialect{}, err
	}
	text, err := charset.NewReader(bytes.NewReader(data))
	if err != nil {
		return dialect{}, err
	}
	defer text.Free()
	rows, err := NewText(text, Options{})
	if err != nil {
		return dialect{}, err
	}
	return rows.dialect, nil
}
