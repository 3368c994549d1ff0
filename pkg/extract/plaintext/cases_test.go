package plaintext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/wordstats"
)

// unsolved lists cases that are wishes: texts too short to tell, CESU-8, and UTF-7, for which there is no decoder.
var unsolved = map[string]bool{"texts/shift-jis-20-bytes": true, "texts/cesu-8": true, "texts/utf-7": true, "texts/label-utf-7": true}

// TestCases decodes texts that tools write, and compares the words with those of the text that the bytes stand for.
// testdata/texts.json names the source of each case.
func TestCases(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "texts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		File, ContentType, Text string
		Want                    json.RawMessage
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("got %d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if unsolved[c.File] {
			continue
		}
		content, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(c.File)))
		if err != nil {
			t.Fatal(err)
		}
		text, outcome, err := plaintext.Decode(content, c.ContentType)
		if string(c.Want) == `"FAILED"` {
			if _, ok := errors.AsType[*plaintext.NotTextError](err); !ok {
				t.Errorf("%s: got %+v, %v, want a NotTextError", c.File, outcome, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		got, err := wordstats.Limits{}.CountAhead(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var want wordstats.Statistics
		if err := json.Unmarshal(c.Want, &want); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v in %s, want %v", c.File, got, outcome.Name, want)
		}
	}
}
