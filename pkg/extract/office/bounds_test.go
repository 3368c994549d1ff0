package office

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

// TestKeptPartsAreBounded checks that a small document with millions of styles or lists is read in bounded memory, with its
// text. Without the limit, each list takes a hundred times its size.
func TestKeptPartsAreBounded(t *testing.T) {
	const lists = 400_000
	var styles strings.Builder
	for i := range lists {
		fmt.Fprintf(&styles, `<text:list-style name="%d"/>`, i)
	}
	data := officetest.OpenDocument("text", `<office:text><text:p>fox</text:p></office:text>`,
		officetest.Part{"styles.xml", "<s>" + styles.String() + "</s>"})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), Limits{})
	runtime.ReadMemStats(&after)
	if err != nil || d.Text != "fox" {
		t.Fatalf("got %+v, %v, want the text fox", d, err)
	}
	used := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d lists: allocated %d MB", lists, used>>20)
	if used > uint64(Memory(int64(len(data)))) {
		t.Errorf("allocated %d bytes for %d lists, want at most %d", used, lists, Memory(int64(len(data))))
	}
}

// TestLongElementsAreRefused checks that an element or a text that is larger than the limit is refused with the limit.
func TestLongElementsAreRefused(t *testing.T) {
	for name, body := range map[string]string{
		"attributes": "<w:p " + strings.Repeat("a ", 200_000) + "/>",
		"value":      `<w:p a="` + strings.Repeat("abcdefgh", 17<<20/8) + `"/>`,
		"text":       officetest.Paragraph("", strings.Repeat("abcdefgh", 17<<20/8)),
	} {
		data := officetest.Word(body)
		if _, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), Limits{}); !errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), "more than") {
			t.Errorf("%s: got %v, want ErrTooBig with the limit", name, err)
		}
	}
}
