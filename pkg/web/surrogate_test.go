package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/web"
)

func TestLoneSurrogates(t *testing.T) {
	for document, want := range map[string]string{
		`"\ud800"`:                   "body",
		`{"text":"a\udfffb"}`:        "body.text",
		`{"a":{"b\u00e9":"\uD83D"}}`: "body.a.bé",
		`{"a":{"\ud800":1}}`:         "body.a",
		`{"\ud800":1}`:               "body",
		`{"items":[{"n":[1,"]}",2]},{"t":["\\\"", "\udc00\ud800"]}]}`: "body.items[1].t[1]",
		`[[],{},["\ud83dx\udc4d"]]`:                                   "body[2][0]",
		`{"a":"\ud83d\udc4d","b":"\ud83d"}`:                           "body.b",
		`{"a":"\ud83d\ud83d\udc4d"}`:                                  "body.a",
		`{"a":"\ud83d\n"}`:                                            "body.a",
		`{"a":"\ud83d\udc4d\uFFFD"}`:                                  "",
		`{"a":"�\ufffd","\ufffd":"\u0000\u00e9"}`:                     "",
		`{"a":"\\ud800","b":"\\\\ud800"}`:                             "",
		`{"a":"\\\ud800"}`:                                            "body.a",
		`null`:                                                        "",
	} {
		wrong, found := web.LoneSurrogate("body", []byte(document))
		if !json.Valid([]byte(document)) {
			t.Fatalf("%s is not valid", document)
		}
		if found != (want != "") || found && (wrong.Field != want || !strings.Contains(wrong.Message, "lone surrogate")) {
			t.Errorf("%s: got %+v, %t, want field %q", document, wrong, found, want)
		}
	}
}

// TestEscapedUnits compares strings of escaped code units with package utf16.
func TestEscapedUnits(t *testing.T) {
	unit := rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0xd7ff, 0xe000))
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOf(unit).Draw(t, "units")
		units = slices.DeleteFunc(units, func(u uint16) bool { return u == 0xfffd })
		var text strings.Builder
		for _, u := range units {
			fmt.Fprintf(&text, `\u%04x`, u)
		}
		document := `{"name":{"":["` + text.String() + `"]}}`
		want := slices.Contains(utf16.Decode(units), 0xfffd)
		if wrong, found := web.LoneSurrogate("body", []byte(document)); found != want {
			t.Fatalf("%s: got %+v, %t, want %t", document, wrong, found, want)
		}
	})
}

func FuzzLoneSurrogates(f *testing.F) {
	f.Add([]byte(`{"a":["\ud800",{"b":"\\"}]}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		if json.Valid(document) {
			web.LoneSurrogate("body", document)
		}
	})
}
