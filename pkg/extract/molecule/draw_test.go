package molecule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	viewBox = regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`)
	texts   = regexp.MustCompile(`<text x="([-\d.]+)" y="([-\d.]+)"(?: font-size="(\d+)")?[^>]*>([^<]+)</text>`)
)

func svgOf(t *testing.T, block string) string {
	t.Helper()
	m, err := Parse([]byte(block))
	if err != nil {
		t.Fatal(err)
	}
	svg, err := m.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}

// TestLabelsAreInside checks that all parts of labels are inside the picture, on each of its sides, if a character is
// as wide as an average one of Helvetica.
func TestLabelsAreInside(t *testing.T) {
	number := func(s string) float64 {
		if s == "" {
			return symbolSize
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, bonds := range []string{"1-2", "2-1"} {
		for _, line := range []string{"M  CHG  1   2   1", "M  CHG  1   1  -2", "M  RAD  2   1   2   2   2", "M  ISO  2   1  13   2 210", "M  CHG  1   2  15"} {
			svg := svgOf(t, block("C N", bonds, line))
			size := viewBox.FindStringSubmatch(svg)
			for _, x := range texts.FindAllStringSubmatch(svg, -1) {
				left, base, high := number(x[1]), number(x[2]), number(x[3])
				right := left + high*0.65*float64(utf8.RuneCountInString(x[4]))
				if left < 0 || right > number(size[1]) || base-high < 0 || base+high/4 > number(size[2]) {
					t.Errorf("%s, %s: got %s in the picture %s, want all texts inside", bonds, line, x[0], size[0])
				}
			}
		}
	}
}

// TestStereoBonds checks that bonds of unknown configuration are wavy or crossed, as IUPAC recommends
// (doi:10.1351/pac200678101897), and that the arrow of a coordination bond points to the acceptor.
func TestStereoBonds(t *testing.T) {
	plain := svgOf(t, block("C C C C", "1-2 2=3 3-4"))
	for name, test := range map[string]struct{ from, to string }{
		"wavy V2000":    {"  3  4  1  0", "  3  4  1  4"},
		"crossed V2000": {"  2  3  2  0", "  2  3  2  3"},
		"coordination":  {"  3  4  1  0", "  3  4  9  0"},
	} {
		if got := svgOf(t, strings.Replace(block("C C C C", "1-2 2=3 3-4"), test.from, test.to, 1)); got == plain {
			t.Errorf("%s: got the drawing of a plain bond, want another one", name)
		}
	}
	v3 := func(bond, mark string) string {
		return svgOf(t, strings.Replace(blockV3("C C C C", "1-2 2=3 3-4", nil), bond+"\n", bond+" "+mark+"\n", 1))
	}
	if svg := v3("M  V30 3 1 30 40", "CFG=2"); !strings.Contains(svg, "Q") {
		t.Errorf("a single bond with CFG=2: got %s, want a wavy line", svg)
	}
	// The two lines of a double bond are parallel, unless it is crossed.
	slopes := regexp.MustCompile(`M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/><path d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/>`)
	for svg, crossed := range map[string]bool{plain: false, v3("M  V30 2 2 20 30", "CFG=2"): true} {
		var v [8]float64
		for i, s := range slopes.FindStringSubmatch(svg)[1:] {
			v[i], _ = strconv.ParseFloat(s, 64)
		}
		first, second := (v[3]-v[1])/(v[2]-v[0]), (v[7]-v[5])/(v[6]-v[4])
		if (first-second > 0.1 || second-first > 0.1) != crossed {
			t.Errorf("got a double bond with the slopes %.2f and %.2f, want crossed = %t", first, second, crossed)
		}
	}
}

// TestGroupsAreDrawn checks that brackets with their marks, and groups of stereo centers, are drawn.
func TestGroupsAreDrawn(t *testing.T) {
	line := func(x float64) string {
		return fmt.Sprintf("M  SDI   1  4%10.4f%10.4f%10.4f%10.4f", x, -0.5, x, 1.5)
	}
	v2 := block("C C C C", "1-2 2-3 3-4", "M  STY  1   1 SRU", "M  SCN  1   1 HT ", line(0.7), line(3.8), "M  SMT   1 k")
	v3 := strings.Replace(blockV3("C C C C", "1-2 2-3 3-4", nil), "M  V30 END CTAB", "M  V30 BEGIN SGROUP\n"+
		"M  V30 1 SRU 0 ATOMS=(2 20 30) BRKXYZ=(9 0.7 -0.5 0 0.7 1.5 0 0 0 0) -\nM  V30 BRKXYZ=(9 3.8 -0.5 0 3.8 1.5 0 0 0 0) CONNECT=HT LABEL=k\n"+
		"M  V30 END SGROUP\nM  V30 BEGIN COLLECTION\nM  V30 MDLV30/STERAC1 ATOMS=(1 20)\nM  V30 MDLV30/STEREL2 ATOMS=(1 30)\nM  V30 END COLLECTION\nM  V30 END CTAB", 1)
	three := regexp.MustCompile(`<path d="M[^L<]+L[^L<]+L[^L<]+L[^L<]+"/>`)
	for name, text := range map[string]string{"V2000": v2, "V3000": v3} {
		svg := svgOf(t, text)
		if n := len(three.FindAllString(svg, -1)); n != 2 || !strings.Contains(svg, ">k<") || !strings.Contains(svg, ">ht<") {
			t.Errorf("%s: got %s with %d brackets, want 2 with the marks k and ht", name, svg, n)
		}
	}
	if svg := svgOf(t, v3); !strings.Contains(svg, ">&amp;1<") || !strings.Contains(svg, ">or2<") {
		t.Errorf("got %s, want the groups of stereo centers &1 and or2", svg)
	}
	far := svgOf(t, block("C C", "1-2", "M  STY  1   1 SRU", "M  SDI   1  4 99999.000 99999.000 99998.000 99999.000"))
	if size := viewBox.FindStringSubmatch(far); len(size[1]) > 5 {
		t.Errorf("a bracket far from the atoms: got a picture of %s, want one of the atoms", size[0])
	}
}
