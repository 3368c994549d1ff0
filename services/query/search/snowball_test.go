package search_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// snowballFolders are the folders of the repository snowballstem/snowball-data, by language.
var snowballFolders = map[string]string{
	"ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french", "ga": "irish",
	"hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "pt": "portuguese", "ro": "romanian", "ru": "russian",
	"sv": "swedish", "ta": "tamil", "tr": "turkish",
}

// TestSnowballVocabularies compares the stems of the words in Snowball's vocabularies with Snowball's output. The environment
// variable ASSAY_SNOWBALL names a copy of the repository snowballstem/snowball-data at commit ce05b90 (March 2018), whose
// algorithms are those of the stemmers, with arabic/*.gz decompressed. Words in upper case are not compared: Snowball expects
// lower case. Tamil had no vocabulary then.
func TestSnowballVocabularies(t *testing.T) {
	folder := os.Getenv("ASSAY_SNOWBALL")
	if folder == "" {
		t.Skip("ASSAY_SNOWBALL does not name a copy of the repository snowballstem/snowball-data")
	}
	for _, language := range search.StemLanguages() {
		if language == "ta" {
			continue
		}
		t.Run(language, func(t *testing.T) {
			read := func(name string) []string {
				content, err := os.ReadFile(filepath.Join(folder, snowballFolders[language], name))
				if err != nil {
					t.Fatal(err)
				}
				return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
			}
			words, stems := read("voc.txt"), read("output.txt")
			if len(words) != len(stems) || len(words) < 10_000 {
				t.Fatalf("%d words and %d stems, want as many, and at least 10,000", len(words), len(stems))
			}
			var different []string
			for i, word := range words {
				if want := terms.Fold(stems[i]); want != "" && word == strings.ToLower(word) && !slices.Contains(search.Stems(language, word), want) {
					different = append(different, word)
				}
			}
			if t.Logf("%d of %d words have another stem", len(different), len(words)); len(different) > 0 {
				t.Errorf("the stems of %q are different", different[:min(len(different), 10)])
			}
		})
	}
}
