package system

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/assay-project/assay/services/assay/client"
)

// Count returns the expected result of a text, independently of the analyzer. It is correct for texts whose words
// consist of letters and digits only, separated by spaces and simple punctuation.
func Count(text string) client.Result {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	counts := map[string]int64{}
	var total, letters int64
	for _, word := range words {
		counts[word]++
		total++
		letters += int64(utf8.RuneCountInString(word))
	}
	result := client.Result{
		TotalWords: total, UniqueWords: int64(len(counts)), Top10Words: []client.Word{}, Charset: "utf-8", CharsetSource: "detected",
	}
	if total > 0 {
		// Calculate hundredths, rounded half up, with integers.
		result.AvgWordLength = float64((200*letters+total)/(2*total)) / 100
	}
	// UTF-8 strings sort by code point.
	order := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	for _, word := range order[:min(10, len(order))] {
		result.Top10Words = append(result.Top10Words, client.Word{Word: word, Count: counts[word]})
	}
	return result
}

// Vocabulary contains words whose lower case is the same in every language.
var Vocabulary = strings.Fields(`The quick brown fox jumps over lazy dogs while 42 sphinxes judge my VOW in 1999
Съешь же ещё этих мягких французских булок да выпей чаю
Größe über naïve façade élan año œuvre
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία`)

// RandomText returns a text with the given number of words. It returns the same text for the same seed.
func RandomText(seed uint64, words int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range words {
		b.WriteString(Vocabulary[random.IntN(len(Vocabulary))])
		b.WriteString([]string{" ", " ", " ", "\n", "\r\n", ", ", ". ", "! "}[random.IntN(8)])
	}
	return b.String()
}

// CheckResult compares a file's result with the expected result.
func CheckResult(t *testing.T, file client.File, want client.Result) {
	t.Helper()
	if problem := wrongResult(file, want); problem != "" {
		t.Error(problem)
	}
}

func wrongResult(file client.File, want client.Result) string {
	switch {
	case file.Status != client.Completed:
		return file.FileName + " (" + file.FileID + ") is " + file.Status + ", want " + client.Completed + ": " + file.ErrorMessage
	case file.Result == nil:
		return file.FileName + " has no result"
	case !slices.Equal(file.Result.Top10Words, want.Top10Words),
		file.Result.TotalWords != want.TotalWords, file.Result.UniqueWords != want.UniqueWords,
		file.Result.AvgWordLength != want.AvgWordLength:
		return file.FileName + " has the result " + JSON(*file.Result) + ", want " + JSON(want)
	case file.ErrorMessage != "":
		return file.FileName + " is COMPLETED, but has an errorMessage: " + file.ErrorMessage
	}
	return ""
}
