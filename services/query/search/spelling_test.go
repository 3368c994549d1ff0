package search

import "testing"

func TestSpelled(t *testing.T) {
	for _, test := range []struct{ format, text, want string }{
		{"json", `{"name":"M\u00fcller","city":"Z\u00FCrich","say":"a\nb \"c\" \\d \/e"}`, "{\"name\":\"Müller\",\"city\":\"Zürich\",\"say\":\"a\nb \"c\" \\d /e\"}"},
		{"json", `"\ud83d\ude00 \ud83d x \ude00 \u12 \q \`, "\"😀 \ufffd x \ufffd \\u12 \\q \\"},
		{"xml", "<a>M&#252;ller &amp; Z&#xFC;rich</a>", "<a>Müller & Zürich</a>"},
		{"md", "*em*phasis un**belie**vable ~~no~~w __a__ snake_case_name", "emphasis unbelievable now __a__ snake_case_name"},
		{"md", "* item *one*\n* item **two *three***\n2 * 3 * 4 **", "* item one\n* item **two *three***\n2 * 3 * 4 **"},
		{"md", "a*b\n\nc*d `x*y*z` M&uuml;ller", "a*b\n\nc*d `x*y*z` Müller"},
		{"txt", `M\u00fcller *em*phasis &amp;`, `M\u00fcller *em*phasis &amp;`},
	} {
		if got := Spelled(test.format, test.text); got != test.want {
			t.Errorf("%s %q: got %q, want %q", test.format, test.text, got, test.want)
		}
	}
}

func FuzzSpelled(f *testing.F) {
	for _, text := range []string{`"\u00fc\ud83d\ude00"`, "*em*phasis `a*b`", "**a*b**c~~d~~"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Spelled("json", text); len(got) > 3*len(text) {
			t.Errorf("json %q: got %d bytes, want at most %d", text, len(got), 3*len(text))
		}
		if got := withoutEmphasis(text); len(got) > len(text) {
			t.Errorf("md %q: got %q, want it shorter", text, got)
		}
	})
}
