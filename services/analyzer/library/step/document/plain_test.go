package document

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestPlainTextIsCutBetweenCharacters: a text is stored up to the last character within the limit, however it is read.
func TestPlainTextIsCutBetweenCharacters(t *testing.T) {
	long := strings.Repeat("äé語😀 ", 20_000)
	for _, test := range []struct {
		text, want  string
		most        int64
		cut, marked bool
	}{
		{text: "", want: "", most: 10},
		{text: " \n\u2003", want: " \n\u2003", most: 10},
		{text: "語語", want: "語語", most: 6, marked: true},
		{text: "語語", want: "語", most: 5, cut: true, marked: true},
		{text: "語語x", want: "語語", most: 6, cut: true, marked: true},
		{text: "a\uFFFDb", want: "a\uFFFD", most: 4, cut: true, marked: true},
		{text: long, want: long, most: int64(len(long)), marked: true},
		{text: long, want: long[:len(long)-1], most: int64(len(long) - 1), cut: true, marked: true},
		{text: long, want: long[:len(long)-5], most: int64(len(long) - 2), cut: true, marked: true},
	} {
		for name, source := range map[string]io.Reader{"blocks": strings.NewReader(test.text), "bytes": iotest.OneByteReader(strings.NewReader(test.text))} {
			var copied bytes.Buffer
			stored := text{to: &copied}
			all, err := copyText(&stored, source, test.most)
			if err != nil {
				t.Fatal(err)
			}
			if copied.String() != test.want || all == test.cut || stored.length != len(test.want) || stored.marked != test.marked {
				t.Errorf("%d of %d bytes by %s: %d bytes copied, all %t, %d bytes counted, marked %t, want %+v",
					test.most, len(test.text), name, copied.Len(), all, stored.length, stored.marked, test)
			}
		}
	}
}
