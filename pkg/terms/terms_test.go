package terms_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/terms"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"Annual_Report-2026.PDF":        {"annual", "report", "2026", "pdf"},
		"Crème brûlée, Ångström":        {"creme", "brulee", "angstrom"},
		"Cre\u0300me":                   {"creme"}, // decomposed
		"ﬁne x² ½":                      {"fine", "x2", "12"},
		"東京タワー abc":                     {"東", "京", "タ", "ワ", "ー", "abc"},
		"don't 3.14 a\x00b":             {"don", "t", "3", "14", "a", "b"},
		strings.Repeat("é", 100):        {strings.Repeat("e", 64)},
		strings.Repeat("ж", 100) + " a": {strings.Repeat("ж", 32), "a"},
		"\xff\xfea\xc3":                 {"a"},
		"Straße ΟΔΟΣ Øresund İstanbul Łódź":                {"strasse", "οδοσ", "oresund", "istanbul", "lodz"},
		"اللَّه كِتَاب كـتاب":                              {"الله", "كتاب", "كتاب"},
		"שָׁלוֹם 日本":                                       {"שלום", "日", "本"},
		"invest\u00adment \u200bDonau\u2060dampf a\u200bb": {"investment", "donaudampf", "a", "b"},
		"서울특별시에서":                                          {"서", "울", "특", "별", "시", "에", "서"},
		"กี่ が":                                            {"กี่", "が"},
	} {
		var got []string
		for w := range terms.Words(text) {
			got = append(got, w.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	got, err := terms.Parse(` Budget  -draft "annual  report" rep* -"old plan"* & 2026-01 x"y z" `)
	want := terms.Terms{
		{Words: []string{"budget"}, Typed: []string{"Budget"}},
		{Words: []string{"draft"}, Typed: []string{"draft"}, Not: true},
		{Words: []string{"annual", "report"}, Typed: []string{"annual", "report"}, Quoted: true},
		{Words: []string{"rep"}, Typed: []string{"rep"}, Prefix: true},
		{Words: []string{"old", "plan"}, Typed: []string{"old", "plan"}, Quoted: true, Prefix: true, Not: true},
		{Words: []string{"2026", "01"}, Typed: []string{"2026", "01"}},
		{Words: []string{"x"}, Typed: []string{"x"}},
		{Words: []string{"y", "z"}, Typed: []string{"y", "z"}, Quoted: true},
	}
	if err != nil || !reflect.DeepEqual(got.Terms, want) {
		t.Errorf("got %+v, error %v\nwant %+v", got, err, want)
	}
	if got, err := terms.Parse(`a "b c`); err != nil || !reflect.DeepEqual(got.Terms, terms.Terms{
		{Words: []string{"a"}, Typed: []string{"a"}}, {Words: []string{"b", "c"}, Typed: []string{"b", "c"}, Quoted: true},
	}) {
		t.Errorf("an open quotation: got %+v, error %v, want it closed at the end", got, err)
	}
	for query, advice := range map[string]string{
		`-a`: "only excludes", `😀 -a`: "only excludes", `*`: "has no prefix", `a*`: "too short",
		strings.Repeat("word ", 33): "too long", `"` + strings.Repeat("word ", 65) + `"`: "too long",
	} {
		_, err := terms.Parse(query)
		if _, syntax := errors.AsType[*terms.SyntaxError](err); !syntax || !strings.Contains(err.Error(), advice) {
			t.Errorf("%q: got error %v, want a syntax error with %q", query, err, advice)
		}
	}
}

// TestParseFields checks fields and filters, and the positions of errors.
func TestParseFields(t *testing.T) {
	got, err := terms.Parse(`title:"Annual Report" -from:ann type:PDF in:"/My Reports" before:2026-07 after:2025 size:>1.5MB 12:30 http://x`)
	day := func(year, month int) time.Time { return time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC) }
	want := terms.Parsed{
		Terms: terms.Terms{
			{Words: []string{"annual", "report"}, Typed: []string{"Annual", "Report"}, Field: "title", Quoted: true},
			{Words: []string{"ann"}, Typed: []string{"ann"}, Field: "author", Not: true},
			{Words: []string{"12", "30"}, Typed: []string{"12", "30"}},
			{Words: []string{"http", "x"}, Typed: []string{"http", "x"}},
		},
		Filter: terms.Filter{Format: "pdf", From: day(2025, 1), To: day(2026, 7), MinSize: 1_500_001, In: "/My Reports"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, error %v\nwant %+v", got, err, want)
	}
	for query, want := range map[string]struct {
		at     int
		advice string
	}{
		"größe title:":       {7, "title: has no value"},
		"a  title: b":        {4, "title: has no value"},
		"a author:!":         {3, "author: has no word"},
		"a before:yesterday": {3, `"yesterday" is not a date`},
		"a size:10":          {3, `"10" is not a limit`},
		"a size:>10parsec":   {3, "is not a limit"},
		"a in:/":             {3, "is not a folder"},
		"a type:???":         {3, "is not a type"},
		"a -type:pdf":        {3, "type: cannot be excluded"},
		"a b*":               {3, "too short"},
		"type:pdf":           {0, "has only filters"},
	} {
		_, err := terms.Parse(query)
		if syntax, ok := errors.AsType[*terms.SyntaxError](err); !ok || syntax.At != want.at || !strings.Contains(err.Error(), want.advice) {
			t.Errorf("%q: got error %v, want %q at character %d", query, err, want.advice, want.at)
		}
	}
	for query, want := range map[string]terms.Filter{
		"a size:<1KiB": {MaxSize: 1023}, "a size:<=2g": {MaxSize: 2e9}, "a size:>=7": {MinSize: 7}, "a type:folder": {Kind: terms.KindFolder}, "a TYPE:.docx": {Format: "docx"},
	} {
		if got, err := terms.Parse(query); err != nil || got.Filter != want {
			t.Errorf("%q: got filter %+v, error %v, want %+v", query, got.Filter, err, want)
		}
	}
}

// TestParseTags checks that tags are folded, and that a query of tags needs no word.
func TestParseTags(t *testing.T) {
	for query, want := range map[string]terms.Tags{
		`tag:Budget`: {With: []string{"budget"}}, `a TAG:"Annual  Report" -tag:DRAFT tag:x`: {With: []string{"annual report", "x"}, Without: []string{"draft"}},
		`tag:a/b:c`: {With: []string{"a/b:c"}}, `a -tag:"b c`: {Without: []string{"b c"}}, `type:pdf tag:"50%"`: {With: []string{"50%"}},
	} {
		if got, err := terms.Parse(query); err != nil || !reflect.DeepEqual(got.Tags, want) {
			t.Errorf("%q: got %+v, error %v, want %+v", query, got.Tags, err, want)
		}
	}
	for query, want := range map[string]struct {
		at     int
		advice string
	}{
		"a tag:": {3, "tag: has no value"}, "a tag: b": {3, "tag: has no value"}, `a tag:""`: {3, "is not a tag: it is blank"}, "tag:" + strings.Repeat("x", 51): {1, "longer than 50 characters"},
		"-tag:a": {0, "has only filters"}, "-tag:a type:pdf": {0, "has only filters"}, "tag:a -b": {0, "only excludes words"},
	} {
		_, err := terms.Parse(query)
		if syntax, ok := errors.AsType[*terms.SyntaxError](err); !ok || syntax.At != want.at || !strings.Contains(err.Error(), want.advice) {
			t.Errorf("%q: got error %v, want %q at character %d", query, err, want.advice, want.at)
		}
	}
}

// TestParseWithoutWords checks that a query without letters and digits is valid, and has no terms.
func TestParseWithoutWords(t *testing.T) {
	for _, query := range []string{"", " ", "-", "&& !", "😀", `"`, `"?"`, "-!"} {
		if got, err := terms.Parse(query); err != nil || len(got.Terms) != 0 {
			t.Errorf("%q: got %v, error %v, want no terms", query, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, query := range []string{`a "b c" d* -e`, `"`, `-"x"*`, "東京*", `title:"a b" -author:c size:>1MB`, "in: x", "type:"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		parsed, err := terms.Parse(query)
		if err == nil && len(parsed.Terms) == 0 && !parsed.Tags.Any() && len(slices.Collect(terms.Words(query))) > 0 {
			t.Errorf("Parse(%q): got no terms and no error, want terms or an error", query)
		}
	})
}
