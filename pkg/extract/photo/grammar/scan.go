package grammar

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a part of a prompt. Exactly one of word and symbol is set by scan; resolve sets the symbol of words.
type token struct {
	word       string  // in lower case and without accents
	symbol     string  // see the files of lexicon; in addition those of the lexemes, COLOR, FORMAT and POS
	text       string  // QUOTED: the text; COLOR, FORMAT, POS, RATIO: the value
	value      float64 // numbers; SIZE: the width
	height     float64 // SIZE
	x, y       float64 // SIZE: an offset
	signed     bool    // a number with a sign
	pixels     bool    // SIZE with a unit
	start, end int     // of the prompt
}

const number = `\d+(?:[.,'\x{a0}\x{202f}]\d+)*`

// lexemes are tried in order at each position of a prompt.
var lexemes = []struct {
	symbol  string
	pattern *regexp.Regexp
}{
	{"QUOTED", regexp.MustCompile(`^(?:"[^"]*(?:"|$)|“[^”]*(?:”|$)|„[^“”]*(?:“|”|$)|«[^»]*(?:»|$))`)},
	{"MARK", regexp.MustCompile(`^(?:\((?:\w|\d\d?)\)|\n\s*(?:\d\d?[.)]|[-*•])\s)`)}, // the marks of a list
	{"END", regexp.MustCompile(`^(?:[;!?\n\[\]{}|]|\.(?:\s|$|["”»)\]]|\p{Lu}))`)},
	{"?", regexp.MustCompile(`^\(`)}, // an aside, which may change the meaning
	{"COMMA", regexp.MustCompile(`^,`)},
	{"COLOR", regexp.MustCompile(`^#[0-9A-Za-z]+`)},
	{"WORD", regexp.MustCompile(`^(?:4[kK]|\d{3,4}[pP])\b`)},
	{"SIZE", regexp.MustCompile(`^(` + number + `)\s*(px|pixels?)?\s*(?:[xX×*]|by\s)\s*(` + number + `)(?:([+-]\d+)([+-]\d+))?`)},
	{"RATIO", regexp.MustCompile(`^(\d{1,3})\s?[:/]\s?(\d{1,3})\b`)},
	{"X", regexp.MustCompile(`^(` + number + `)\s?(?:[xX]\b|×)`)},
	{"N", regexp.MustCompile(`^(?:[+-]|−|–)?(` + number + `)([kK]\b)?`)},
	{"WORD", regexp.MustCompile(`^[\p{L}\p{M}_][\p{L}\p{M}\d_]*`)},
	{"WORD", regexp.MustCompile(`^[&/%°º]`)},
}

var firstMark = regexp.MustCompile(`^\s*(?:\d\d?[.)]|[-*•])\s`)

// scan splits a prompt. Characters that no lexeme begins with separate words.
func scan(prompt string) (all []token) {
	at := 0
	if mark := firstMark.FindString(prompt); mark != "" {
		at = len(mark)
	}
	for at < len(prompt) {
		t, size := scanOne(prompt[at:])
		if size == 0 {
			at++
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(prompt[:at]); t.signed && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
			t.value, t.signed = math.Abs(t.value), false // a hyphen
		}
		t.start, t.end = at, at+size
		at += size
		if t.symbol != "MARK" {
			all = append(all, t)
		} else {
			all = append(all, token{symbol: "END", start: t.start, end: t.end})
		}
	}
	return all
}

func scanOne(rest string) (token, int) {
	for _, l := range lexemes {
		m := l.pattern.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		t, size := token{symbol: l.symbol}, len(m[0])
		switch l.symbol {
		case "WORD":
			t = token{word: plain(m[0])}
		case "QUOTED":
			t.text = strings.TrimSpace(strings.Trim(m[0], `"“”„«»`))
		case "END":
			size = 1 // what follows a full stop is not part of it
		case "COLOR":
			t.text = m[0]
		case "SIZE":
			t.value, t.height = parseNumber(m[1]), parseNumber(m[3])
			t.x, t.y, t.pixels = parseNumber(m[4]), parseNumber(m[5]), m[2] != ""
		case "RATIO":
			t.value, t.height, t.text = parseNumber(m[1]), parseNumber(m[2]), m[1]+":"+m[2]
		case "X":
			t.value = parseNumber(m[1])
		case "N":
			t.value, t.signed = parseNumber(m[1]), !strings.HasPrefix(m[0], m[1])
			if t.signed && m[0][0] != '+' {
				t.value = -t.value
			}
			if m[2] != "" {
				t.value *= 1000
			}
		}
		return t, size
	}
	return token{}, 0
}

// parseNumber parses a number, in which groups of three digits may be separated, as in 1,200 or 1.200. Other separators
// are decimal. It returns NaN for other numbers, which no rule accepts.
func parseNumber(s string) float64 {
	if s == "" {
		return 0
	}
	sign, digits := 1.0, strings.TrimLeft(s, "+-")
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	parts := strings.FieldsFunc(digits, func(r rune) bool { return !unicode.IsDigit(r) })
	grouped := len(parts) > 1 && len(parts[0]) <= 3 && parts[0] != "0"
	for _, p := range parts[1:] {
		grouped = grouped && len(p) == 3
	}
	separator := "."
	switch {
	case grouped:
		separator = ""
	case len(parts) > 2:
		return math.NaN()
	}
	n, err := strconv.ParseFloat(strings.Join(parts, separator), 64)
	if err != nil {
		return math.NaN()
	}
	return sign * n
}
