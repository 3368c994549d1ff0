package molecule

import (
	"fmt"
	"strconv"
	"strings"
)

// block returns a V2000 block with atoms such as "C C O", bonds such as "1-2 2=3 3#4 1:2", and property lines.
func block(atoms, bonds string, lines ...string) string {
	symbols, pairs := strings.Fields(atoms), strings.Fields(bonds)
	var b strings.Builder
	fmt.Fprintf(&b, "title\n  test\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", len(symbols), len(pairs))
	for i, symbol := range symbols {
		fmt.Fprintf(&b, "%10.4f%10.4f%10.4f %-3s 0  0  0  0  0  0  0  0  0  0  0  0\n", float64(i)*1.5, float64(i%2), 0.0, symbol)
	}
	for _, pair := range pairs {
		from, to, order := bondOf(pair)
		fmt.Fprintf(&b, "%3d%3d%3d  0\n", from, to, order)
	}
	for _, line := range append(lines, "M  END") {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// blockV3 returns the same molecule as a V3000 block. properties contains the properties of atoms, by atom number.
func blockV3(atoms, bonds string, properties map[int]string) string {
	symbols, pairs := strings.Fields(atoms), strings.Fields(bonds)
	var b strings.Builder
	fmt.Fprintf(&b, "title\n  test\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS %d %d 0 0 0\nM  V30 BEGIN ATOM\n", len(symbols), len(pairs))
	for i, symbol := range symbols {
		fmt.Fprintf(&b, "M  V30 %d %s %.4f -\nM  V30 %d 0 0 %s\n", (i+1)*10, symbol, float64(i)*1.5, i%2, properties[i+1])
	}
	b.WriteString("M  V30 END ATOM\nM  V30 BEGIN BOND\n")
	for i, pair := range pairs {
		from, to, order := bondOf(pair)
		fmt.Fprintf(&b, "M  V30 %d %d %d %d\n", i+1, order, from*10, to*10)
	}
	b.WriteString("M  V30 END BOND\nM  V30 END CTAB\nM  END\n")
	return b.String()
}

func bondOf(pair string) (from, to, order int) {
	at := strings.IndexAny(pair, "-=#:>?")
	from, _ = strconv.Atoi(pair[:at])
	to, _ = strconv.Atoi(pair[at+1:])
	return from, to, map[byte]int{'-': 1, '=': 2, '#': 3, ':': 4, '>': 9, '?': 8}[pair[at]]
}
