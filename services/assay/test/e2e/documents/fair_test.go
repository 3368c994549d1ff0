package documents

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

const (
	// othersWithin limits the time of another owner's documents. Without fairness, they wait for all pictures that are
	// being drawn; without the limit of such a picture, that takes a minute for each.
	othersWithin = 45 * time.Second
	// allWithin limits the time of six documents whose pictures never end. Each takes step.DrawTime.
	allWithin = 2 * time.Minute
)

// text is the content of a page that shows a word.
const text = "BT /F1 12 Tf 72 720 Td (fox) Tj ET "

// endless returns a PDF with a form that fills with a pattern, whose cell draws the form.
func endless() []byte {
	const fill = "/P0 scn 0 0 224 160 re f "
	return wasmtest.PDF{Pages: []string{""}, Contents: text + "/X0 Do", Forms: []string{"/Pattern cs " + fill + fill + fill}, Patterns: []string{"/X0 Do"}}.Bytes()
}

// TestDocumentsThatDrawThemselves: a document whose picture never ends is processed without it after one attempt, the text
// and the picture of a document whose forms draw each other fail separately, and neither delays documents of others.
func TestDocumentsThatDrawThemselves(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	warm := document{"warm.pdf", wasmtest.PDF{Pages: []string{fox}}.Bytes}
	if o := process(t, s.System, []document{warm})[0]; o.node.Status != good {
		t.Fatalf("%s is %s (%s), want %s", o.name, o.node.Status, o.reasons(), good)
	}
	var slow []document
	for n := range 6 {
		slow = append(slow, document{fmt.Sprintf("endless%d.pdf", n), endless})
	}
	began, ended := time.Now(), make(chan []outcome, 1)
	go func() { ended <- process(t, s.System, slow) }()
	exploding := wasmtest.PDF{Pages: []string{""}, Contents: text + "/X0 Do", Forms: []string{"/X1 Do /X1 Do /X1 Do", "/X0 Do /X0 Do /X0 Do"}}
	if _, err := processOne(t.Context(), s.Client(t, system.NewOwner()), document{"another.txt", func() []byte { return []byte(fox) }}); err != nil {
		t.Fatal(err)
	}
	others := time.Now()
	for _, o := range process(t, s.System, []document{
		{"other.docx", func() []byte { return officetest.Word(officetest.Paragraph("", fox)) }}, {"other.pdf", warm.data},
	}) {
		if o.node.Status != good {
			t.Errorf("%s is %s (%s), want %s", o.name, o.node.Status, o.reasons(), good)
		}
	}
	if took := time.Since(others); took > othersWithin {
		t.Errorf("the documents of another owner took %s, want at most %s", took, othersWithin)
	}
	for _, o := range <-ended {
		explained(t, o)
		attempts := 0
		for _, step := range o.workflow.Steps {
			attempts = max(attempts, step.Attempts)
		}
		if o.node.Status != client.LibraryProcessedPartially || !strings.Contains(o.reasons(), "takes longer than allowed") || !o.has("text") || attempts > 1 {
			t.Errorf("%s is %s (%s), want %s with its text after one attempt, because its picture takes longer than allowed", o.name, o.node.Status, o.reasons(), client.LibraryProcessedPartially)
		}
	}
	if took := time.Since(began); took > allWithin {
		t.Errorf("the documents that draw themselves took %s, want at most %s", took, allWithin)
	}
	for _, o := range process(t, s.System, []document{{"exploding.pdf", exploding.Bytes}}) {
		explained(t, o)
		if o.node.Status == failed || !o.has("text") {
			t.Errorf("%s is %s (%s), want it processed with its text, because text and picture fail separately", o.name, o.node.Status, o.reasons())
		}
	}
}
