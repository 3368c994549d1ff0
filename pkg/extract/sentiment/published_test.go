package sentiment_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/sentiment"
)

// published contains the compound scores of the 16 example sentences in the README of
// vaderSentiment, in order, and the first words of each sentence.
var published = []struct {
	begins   string
	compound float64
}{
	{"VADER is smart", 0.8316},
	{"VADER is smart", 0.8439},
	{"VADER is very smart", 0.8545},
	{"VADER is VERY SMART", 0.9227},
	{"VADER is VERY SMART", 0.9342},
	{"VADER is VERY SMART, uber", 0.9469},
	{"VADER is not smart", -0.7424},
	{"The book was good", 0.4404},
	{"At least it isn't", 0.431},
	{"The book was only", 0.3832},
	{"The plot was good", -0.7042},
	{"Today SUX", -0.5461},
	{"Today only kinda", 0.5249},
	{"Make sure you", 0.8633},
	{"Catch utf-8 emoji", 0.7003},
	{"Not bad at all", 0.431},
}

func TestPublishedSentences(t *testing.T) {
	sentences := publishedSentences(t)
	if len(sentences) < len(published) {
		t.Fatalf("found %d sentences, want %d", len(sentences), len(published))
	}
	a := sentiment.New()
	for i, want := range published {
		if !strings.HasPrefix(sentences[i], want.begins) {
			t.Fatalf("sentence %d is %q, want %q…", i, sentences[i], want.begins)
		}
		if got := a.Score(sentences[i]).Compound; got != want.compound {
			t.Errorf("Score(%q).Compound = %v, want the published %v", sentences[i], got, want.compound)
		}
	}
}

// publishedSentences reads the sentences from govader's tests, where they are the values of the
// Text fields.
func publishedSentences(t *testing.T) []string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/jonreiter/govader").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "vader_test.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var sentences []string
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		name, isName := field.Key.(*ast.Ident)
		value, isLiteral := field.Value.(*ast.BasicLit)
		if isName && isLiteral && name.Name == "Text" {
			sentence, err := strconv.Unquote(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			sentences = append(sentences, sentence)
		}
		return true
	})
	return sentences
}
