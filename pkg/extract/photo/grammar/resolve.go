package grammar

import (
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// resolve replaces the words of a prompt with the symbols of the language. A word that it does not have becomes the
// symbol "?", which no rule accepts.
func (l *language) resolve(tokens []token) (all []token) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.word == "" {
			all = append(all, t)
			continue
		}
		length, symbol := l.find(tokens[i:])
		t.symbol, t.end = symbol, tokens[i+length-1].end
		if name, value, found := strings.Cut(symbol, "-"); found {
			t.symbol, t.text = name, value
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				t.value = n
			}
			if color, err := operation.ParseColor(value); err == nil {
				t.text = string(color)
			}
		}
		if color, err := operation.ParseColor(t.word); err == nil && length == 1 && (symbol == "?" || l.name == "english") {
			t.symbol, t.text = "COLOR", string(color)
		}
		i += length - 1
		all = append(all, t)
	}
	return units(all)
}

// find returns the symbol of the longest sequence of words at the start of tokens.
func (l *language) find(tokens []token) (length int, symbol string) {
	key := ""
	length, symbol = 1, "?"
	for i, t := range tokens[:min(len(tokens), l.longest)] {
		if t.word == "" {
			break
		}
		key = strings.TrimPrefix(key+" "+l.fold(t.word), " ")
		if s := l.symbols[key]; s != "" {
			length, symbol = i+1, s
		}
	}
	return length, symbol
}

// units joins numbers with their units: PCT, DEG and PX. A size may have its unit behind the second number.
func units(tokens []token) (all []token) {
	for _, t := range tokens {
		if len(all) > 0 {
			last := &all[len(all)-1]
			unit := map[string]string{"PERCENTW": "PCT", "DEGREEW": "DEG", "PIXELS": "PX"}[t.symbol]
			switch {
			case last.symbol == "N" && unit != "":
				last.symbol, last.end = unit, t.end
				continue
			case last.symbol == "SIZE" && unit == "PX":
				last.pixels, last.end = true, t.end
				continue
			}
		}
		all = append(all, t)
	}
	return all
}
