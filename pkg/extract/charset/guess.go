// Package charset finds out how a text is encoded: from a label, or from its bytes.
//
// Detection decodes the words beyond ASCII with each charset, and adds up how unusual the letters and
// pairs of letters are in each language that is written in it, in bits. The charset with the lowest sum
// is the most likely one. The statistics are those of lingua-go; see NOTICE.
package charset

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/unicode/norm"

	"github.com/assay-project/assay/pkg/extract/letters"
)

const (
	contextWeight = 4        // the weight of words in ASCII: one part in so many
	maxContextSum = 16 * bit // their greatest influence on a language in Latin letters
	maxOtherSum   = 12 * bit // and on another, whose texts often contain such words
	firstSample   = 1 << 10  // bytes of the sample in which all charsets are compared
	certain       = 4 * bit  // the distance from the second-best charset at which the best is certain
	few           = 16       // one invalid byte in so many characters does not contradict UTF-8
)

// Guess is what the bytes of a text say about its charset.
type Guess struct {
	Charset
	Language string // the language whose statistics fit best, an ISO 639-1 code; empty for UTF-8 and ASCII
	Certain  bool   // no other charset that gives another text is nearly as likely
	Rival    string // the most likely charset that gives another text, if the guess is not certain
	Bits     int    // how unusual the words beyond ASCII are, in bits a character
}

// Guess returns the most likely charset.
func (e *Evidence) Guess() Guess {
	if e.part != nil {
		e.endPart()
	}
	switch {
	case e.Valid == 0 && e.Invalid == 0 && len(e.cut) == 0:
		if isISO2022JP(e.escaped) {
			return Guess{Charset: Charset{"iso-2022-jp", japanese.ISO2022JP}, Language: "ja", Certain: true}
		}
		return Guess{Charset: UTF8, Certain: true}
	case e.Valid > 0 && e.Invalid*few <= e.Valid:
		return Guess{Charset: UTF8, Certain: true}
	}
	scores := e.scores()
	best, second, rival := scores[0], noCost, ""
	for _, s := range scores {
		if s.cost < best.cost {
			best = s
		}
	}
	for _, s := range scores {
		if s.text != best.text && s.cost < second {
			second, rival = s.cost, s.name
		}
	}
	g := Guess{
		Charset: Charset{best.name, best.encoding}, Language: best.language, Certain: second-best.cost >= certain,
		Bits: best.cost / bit / max(1, utf8.RuneCountInString(best.text)),
	}
	if !g.Certain {
		g.Rival = rival
	}
	return g
}

// score is the cost of the sample in a charset.
type score struct {
	candidate
	language string
	text     string
	cost     int
}

// scores returns the costs of the sample in the candidates whose cost for the first words is not much higher than the
// lowest.
func (e *Evidence) scores() []score {
	context, all := contextCosts(e.context), candidates
	if len(e.sample) > 2*firstSample {
		first := scored(e.sample[:bytes.LastIndexByte(e.sample[:firstSample], ' ')+1], all, context)
		least := noCost
		for _, s := range first {
			least = min(least, s.cost)
		}
		all = nil
		for _, s := range first {
			if s.cost <= least+least/4+100*bit {
				all = append(all, s.candidate)
			}
		}
	}
	return scored(e.sample, all, context)
}

func scored(sample []byte, all []candidate, context map[string]int) []score {
	scores := make([]score, 0, len(all))
	for _, c := range all {
		s := score{candidate: c, text: c.decode(sample), cost: noCost}
		words := split([]rune(s.text))
		for _, l := range c.spoken() {
			if cost := cost(l, words) + context[l.Name]; cost < s.cost {
				s.cost, s.language = cost, l.Name
			}
		}
		s.cost += c.prior * bit
		scores = append(scores, s)
	}
	return scores
}

// contextCosts returns how unlikely words in ASCII make a language.
func contextCosts(ascii []byte) map[string]int {
	words, least, costs := split(bytes.Runes(ascii)), noCost, map[string]int{}
	for name, l := range letters.All() {
		costs[name] = cost(l, words)
		least = min(least, costs[name])
	}
	for name, cost := range costs {
		greatest := maxOtherSum
		if letters.All()[name].Latin() {
			greatest = maxContextSum
		}
		costs[name] = min((cost-least)/contextWeight, greatest)
	}
	return costs
}

func (c candidate) decode(text []byte) string {
	decoded, err := c.encoding.NewDecoder().Bytes(text)
	if err != nil {
		decoded = text
	}
	if c.name == "windows-1258" { // it writes the marks of tones separately
		decoded = norm.NFC.Bytes(decoded)
	}
	return string(decoded)
}

// isISO2022JP reports whether a text with escape sequences is Japanese.
func isISO2022JP(escaped []byte) bool {
	if !bytes.Contains(escaped, []byte("\x1B$B")) && !bytes.Contains(escaped, []byte("\x1B$@")) && !bytes.Contains(escaped, []byte("\x1B(I")) {
		return false
	}
	text, err := japanese.ISO2022JP.NewDecoder().Bytes(escaped)
	if err != nil {
		return false
	}
	replaced, characters := 0, 0
	for _, r := range string(text) {
		if r == utf8.RuneError {
			replaced++
		}
		if r > 0x3000 {
			characters++
		}
	}
	return characters > replaced*few
}
