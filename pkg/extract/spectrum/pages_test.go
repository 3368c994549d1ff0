package spectrum

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// pages returns a spectrum of two dimensions: n pages of F1, in each of which F2 runs from 8 down to 1, with a peak where
// both are equal.
func pages(n int, dataType string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "##TITLE= 2D\n##DATA TYPE= %s\n##DATA CLASS= NTUPLES\n##$RELAX=\n##END=\n##NTUPLES= nD\n##SYMBOL= F1, F2, R, I\n##VAR_DIM= %d, %d, %d, %d\n"+
		"##UNITS= PPM, HZ, ARBITRARY, ARBITRARY\n##FACTOR= 1, 1, 0.5, 1\n##FIRST= %d, %d, 0, 0\n##LAST= 1, 1, 0, 0\n", dataType, n, n, n, n, n, n)
	for page := n; page >= 1; page-- {
		for _, part := range []string{"R", "I"} {
			fmt.Fprintf(&b, "##PAGE= F1=%d\n##DATA TABLE= (F2++(%s..%s)), PROFILE\n%d", page, part, part, n)
			for at := n; at >= 1; at-- {
				value := 0
				if at == page {
					value = map[string]int{"R": 200, "I": -70}[part]
				}
				fmt.Fprintf(&b, " %d", value)
			}
			b.WriteString("\n")
		}
	}
	return b.String() + "##END NTUPLES= nD\n##END=\n"
}

// TestTwoDimensions checks all rows of a spectrum of two dimensions, whose block contains the END of a file of parameters, and the
// intensity map.
func TestTwoDimensions(t *testing.T) {
	all := readAll([]byte(pages(30, "nD NMR SPECTRUM")))
	if len(all) != 1 || all[0].Properties.Get(Curves) != int64(60) || all[0].Properties.Get(Points) != int64(1800) || all[0].Properties.Get(Problem) != nil {
		t.Fatalf("got %+v, want one spectrum of 60 curves and 1800 points", all)
	}
	s := parse(t, all[0].Content)
	if c := s.Curves[0]; c.Page != "F1=30" || c.PageUnits != "PPM" || c.XUnits != "HZ" || c.X[0] != 30 || c.X[29] != 1 || c.Y[0] != 100 {
		t.Errorf("got %+v, want F1 in PPM, F2 from 30 to 1 in HZ, and a peak of 100", c)
	}
	svg, err := s.SVG()
	if err != nil || wellFormed(svg) != nil {
		t.Fatalf("got %s, error %v, want a drawing", svg, err)
	}
	// 30 peaks of the real part in one level on the diagonal: with both axes reversed, 30 is at the bottom left, and 1 at the top right.
	if !bytes.Contains(svg, []byte(">F1 PPM<")) || !bytes.Contains(svg, []byte(">HZ<")) || bytes.Contains(svg, []byte("#c62020")) {
		t.Errorf("got %s, want axes F1 in PPM and HZ, and no negative intensities", svg)
	}
	_, path, _ := bytes.Cut(svg, []byte("stroke-width"))
	_, path, _ = bytes.Cut(path, []byte(`d="`))
	path, _, _ = bytes.Cut(path, []byte(`"`))
	cells := strings.Split(strings.Trim(string(path), "M"), "M")
	var first, last [2]float64
	_, err1 := fmt.Sscanf(cells[0], "%f %f", &first[0], &first[1])
	_, err2 := fmt.Sscanf(cells[len(cells)-1], "%f %f", &last[0], &last[1])
	if err1 != nil || err2 != nil || len(cells) != 30 {
		t.Fatalf("got cells %q, want 30", cells)
	}
	if math.Abs(first[0]-(width-right)) > 5 || math.Abs(first[1]-top) > 5 || math.Abs(last[0]-left) > 5 || math.Abs(last[1]-(height-bottom)) > 5 {
		t.Errorf("got the first cell at %v and the last at %v, want the top right and the bottom left", first, last)
	}
}

// TestPeaksOfAllPages checks that the peaks of every page are drawn, although there are more pages than curves of a drawing.
func TestPeaksOfAllPages(t *testing.T) {
	text := "##TITLE= GC-MS\n##DATA TYPE= MASS SPECTRUM\n##NTUPLES= MASS SPECTRUM\n##SYMBOL= X, Y, T\n##UNITS= M/Z, COUNTS, SECONDS\n"
	for page := range 40 {
		text += fmt.Sprintf("##PAGE= T=%d\n##DATA TABLE= (XY..XY), PEAKS\n%d,%d\n", page, 100+10*page, page+1)
	}
	svg, err := parse(t, text+"##END NTUPLES=\n##END=\n").SVG()
	if err != nil || bytes.Count(svg, []byte("V")) != 40+1 || !bytes.Contains(svg, []byte(">450<")) || !bytes.Contains(svg, []byte(">40<")) {
		t.Errorf("got %s, error %v, want 40 peaks up to 490 and 40", svg, err)
	}
	samples := strings.ReplaceAll(text, ", PEAKS", ", XYDATA")
	if svg, err := parse(t, strings.ReplaceAll(samples, "PAGE= T=", "PAGE= T=x")+"##END=\n").SVG(); err != nil || !bytes.Contains(svg, []byte("the first 20 of 40 curves")) {
		t.Errorf("got %s, error %v, want a drawing that states its curves", svg, err)
	}
}

func TestDecimalCommas(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		x, y    []float64
		decimal bool
	}{
		"stated points":  {"##FIRSTX=1\n##LASTX=3\n##NPOINTS=3\n##XYDATA=(X++(Y..Y))\n1 1,5 2,5 3\n", []float64{1, 2, 3}, []float64{1.5, 2.5, 3}, true},
		"labels":         {"##FIRSTX=0,5\n##DELTAX=0,25\n##XYDATA=(X++(Y..Y))\n0,5 1,5 2\n", []float64{0.5, 0.75}, []float64{1.5, 2}, true},
		"pairs":          {"##NPOINTS=2\n##XYPOINTS=(XY..XY)\n1,5 2,5\n3,5; 4E-1\n", []float64{1.5, 3.5}, []float64{2.5, 0.4}, true},
		"separators":     {"##NPOINTS=2\n##XYPOINTS=(XY..XY)\n1,5 2,5\n", []float64{1, 2}, []float64{5, 5}, false},
		"not determined": {"##XYPOINTS=(XY..XY)\n1,5 2,5\n", []float64{1, 2}, []float64{5, 5}, false},
		"points":         {"##FIRSTX=0,5\n##XYPOINTS=(XY..XY)\n1.5,2.5 3,4\n", []float64{1.5, 3}, []float64{2.5, 4}, false},
	} {
		s := parse(t, "##TITLE=t\n"+test.text+"##END=\n")
		c := s.Curves[0]
		said := strings.Contains(strings.Join(s.Problems, ";"), "decimal commas")
		if fmt.Sprint(c.X, c.Y) != fmt.Sprint(test.x, test.y) || said != test.decimal {
			t.Errorf("%s: got %+v, want x %v, y %v", name, s, test.x, test.y)
		}
	}
}

func TestWhatIsNotReadIsStated(t *testing.T) {
	for text, want := range map[string]string{
		"##DATA TABLE= (XYT..XYT), PEAKS\n1 2 3\n":                                               "line 2: the values of T are not read",
		"##XYDATA=(X++(Y..Y))\n1 2\n##DATA TABLE= (T1,T2..), PROFILE\n1\n":                       "line 4: the table (T1,T2..), PROFILE cannot be read",
		"##XFACTOR= one\n##XYDATA=(X++(Y..Y))\n1 2\n":                                            `##XFACTOR: "one" is not a number`,
		"##SYMBOL= X, Y\n##FACTOR= 1, b\n##XYDATA=(X++(Y..Y))\n1 2\n##XYDATA=(X++(Y..Y))\n1 2\n": `##FACTOR: "b" is not a number`,
	} {
		if s := parse(t, "##TITLE=t\n"+text+"##END=\n"); strings.Join(s.Problems, "; ") != want {
			t.Errorf("%q: got problems %q, want %s", text, s.Problems, want)
		}
	}
}

func TestPointsAsTables(t *testing.T) {
	all, err := tables(strings.Replace(xydata(3, "400 1 2 ?\n"), "##FIRSTX= 400", "##FIRSTX= 400.1", 1))
	if err != nil || len(all) != 1 || all[0].Rows != 3 {
		t.Fatalf("got %+v, %v, want one table of three points", all, err)
	}
	var csv bytes.Buffer
	if err := all[0].WriteCSV(&csv); err != nil || csv.String() != "X (1/CM),Y (TRANSMITTANCE)\r\n400.1,0.5\r\n401.05,1\r\n402,\r\n" {
		t.Errorf("got %q, %v", csv.String(), err)
	}
}
