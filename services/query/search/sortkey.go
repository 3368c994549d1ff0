package search

import (
	"strings"
	"unicode"

	"github.com/assay-project/assay/pkg/terms"
)

// SortKey returns the key by which names are sorted bytewise: Fold, with numbers in the order of their values, so that 2
// precedes 10. Leading zeros have no effect.
func SortKey(name string) string {
	folded := []rune(terms.Fold(name))
	var b strings.Builder
	for i := 0; i < len(folded); {
		if !unicode.Is(unicode.Nd, folded[i]) {
			b.WriteRune(folded[i])
			i++
			continue
		}
		var digits strings.Builder
		for ; i < len(folded) && unicode.Is(unicode.Nd, folded[i]); i++ {
			if d := value(folded[i]); d != '0' || digits.Len() > 0 {
				digits.WriteByte(d)
			}
		}
		// The number of digits precedes them, in the base 9: the digit 9 means that another follows.
		n := digits.Len()
		b.WriteString(strings.Repeat("9", n/9))
		b.WriteByte('0' + byte(n%9))
		b.WriteString(digits.String())
	}
	return b.String()
}

// value returns the ASCII digit with the value of a decimal digit. The decimal digits of a script are ten consecutive
// characters.
func value(digit rune) byte {
	zero := digit
	for unicode.Is(unicode.Nd, zero-1) && digit-zero < 9 {
		zero--
	}
	return '0' + byte(digit-zero)
}
