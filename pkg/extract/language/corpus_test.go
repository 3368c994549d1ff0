package language_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/language"
)

// other reports whether a text is taken for another language than English.
func other(text string) (string, bool) {
	found := language.Detect(text)
	return found, found != language.English && found != language.Undetermined
}

// TestShortEnglish checks short opinions, which resemble other languages.
func TestShortEnglish(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "short-english.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Text string }
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("got %d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if found, ok := other(c.Text); ok {
			t.Errorf("Detect(%q) = %s, want en or und", c.Text, found)
		}
	}
	for adjective := range strings.FieldsSeq("good bad awful horrible great nice terrible lovely brilliant poor amazing boring cheap sad happy ugly perfect disgusting excellent stupid") {
		for noun := range strings.FieldsSeq("price car update service product phone movie game food app hotel music screen battery book") {
			for pattern := range strings.SplitSeq("%A %N.|%A %N!|RT @x: %A %N|omg %A %N!!|%A %N, %A %N.|so %A|%N is %A|very %A %N|%A!|What a %A %N|my %N: %A|%A %N :)|no %A %N|%N %A|Hate %N, %A %N.", "|") {
				text := strings.NewReplacer("%A", adjective, "%N", noun).Replace(pattern)
				if found, ok := other(text); ok {
					t.Errorf("Detect(%q) = %s, want en or und", text, found)
				}
			}
		}
	}
}

// TestOtherLanguages checks opinions in languages whose sentiment is not scored.
func TestOtherLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Das ist ein wunderbares Produkt, ich liebe es sehr!":          "de",
		"Este producto es horrible, lo odio mucho y no lo recomiendo.": "es",
		"Este produto é maravilhoso, eu adoro!":                        "pt",
		"Questo prodotto è terribile, lo odio.":                        "it",
		"Bu ürün gerçekten harika, çok seviyorum":                      "tr",
		"Dette er et fantastisk produkt, jeg elsker det virkelig!":     "da",
		"Tämä on aivan ihana tuote, rakastan sitä todella paljon!":     "fi",
		"To jest wspaniały produkt, bardzo go kocham i polecam!":       "pl",
	} {
		if got := language.Detect(text); got != want && !(want == "da" && got == "nb") {
			t.Errorf("Detect(%q) = %s, want %s", text, got, want)
		}
	}
}

// TestPublishedEnglish checks the tweets and reviews that C. J. Hutto and E. Gilbert published with VADER (2014), in
// which at most one in 2,000 is to be taken for another language. The folder is that of the environment variable
// ASSAY_VADER.
func TestPublishedEnglish(t *testing.T) {
	folder := os.Getenv("ASSAY_VADER")
	if folder == "" {
		t.Skip("ASSAY_VADER does not name the folder of hutto_ICWSM_2014")
	}
	// These tweets are in the language that is found.
	foreign := []string{"kisa zamanda", "kendisine sormali", "das een eind geleden"}
	wrong, all := 0, 0
	for _, name := range []string{"tweets", "amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets"} {
		data, err := os.ReadFile(filepath.Join(folder, name+"_GroundTruth.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			parts := strings.SplitN(strings.TrimSpace(line), "\t", 3)
			if len(parts) < 3 || containsAny(parts[2], foreign) {
				continue
			}
			all++
			if found, ok := other(parts[2]); ok {
				wrong++
				t.Logf("%s: %q", found, parts[2])
			}
		}
	}
	t.Logf("%d of %d taken for another language", wrong, all)
	if all == 0 || wrong*2000 > all {
		t.Errorf("%d of %d texts taken for another language, want at most 1 in 2,000", wrong, all)
	}
}

func containsAny(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// TestSentences checks sentences of at least 40 characters in the languages that are known. They are those of lingua-go,
// folder cmd/language-testdata/sentences, in files named LANGUAGE.txt; it is that of the environment variable
// ASSAY_SENTENCES.
func TestSentences(t *testing.T) {
	folder := os.Getenv("ASSAY_SENTENCES")
	if folder == "" {
		t.Skip("ASSAY_SENTENCES does not name a folder with sentences in LANGUAGE.txt")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "??.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	right, all := 0, 0
	for _, path := range paths {
		want := strings.TrimSuffix(filepath.Base(path), ".txt")
		if want == "bs" || want == "nn" {
			continue // not known, see Detect
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		here, found := 0, 0
		for line := range strings.Lines(string(data)) {
			if utf8.RuneCountInString(strings.TrimSpace(line)) < 40 {
				continue
			}
			here++
			if language.Detect(line) == want {
				found++
			}
		}
		right, all = right+found, all+here
		if found*100 < here*95 {
			t.Logf("%s: %d of %d", want, found, here)
		}
	}
	t.Logf("%d of %d right, %.2f %%", right, all, 100*float64(right)/float64(all))
	if right*100 < all*95 {
		t.Errorf("%d of %d sentences right, want 95 %%", right, all)
	}
}

func BenchmarkDetect(b *testing.B) {
	text := articles["de"]
	for b.Loop() {
		language.Detect(text)
	}
}
