package spectrum

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

var mutations = flag.Int("mutations", 200, "number of damaged files for each parser")

// xydata returns a block of n points with this table.
func xydata(n int, table string) string {
	return fmt.Sprintf("##TITLE= test $$ a comment\n##JCAMP-DX= 4.24\n##DATA TYPE= INFRARED SPECTRUM\n##XUNITS= 1/CM\n##YUNITS= TRANSMITTANCE\n"+
		"##FIRSTX= 400\n##LASTX= %d\n##XFACTOR= 1.0\n##YFACTOR= 0.5\n##NPOINTS= %d\n##XYDATA= (X++(Y..Y))\n%s##END=\n", 399+n, n, table)
}

func parse(t *testing.T, text string) *Spectrum {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse: got error %v, want nil\n%s", err, text)
	}
	return s
}

// The forms are those of the example in the standard, JCAMP-DX 4.24.
func TestStandardForms(t *testing.T) {
	want := []float64{0.5, 1, 1.5, 1.5, 1, 0.5, 0, -0.5, -1, -1.5}
	for name, line := range map[string]string{
		"AFFN":    "400 1 2 3 3 2 1 0 -1 -2 -3",
		"PAC":     "400+1+2+3+3+2+1+0-1-2-3",
		"SQZ":     "400ABCCBA@abc",
		"DIF":     "400AJJ%jjjjjj",
		"DIF DUP": "400AJJ%jX",
		"SQZ DUP": "400ABCTBA@abc",
		"mixture": "400, 1JJ C;B+1 @a-2 c",
	} {
		s := parse(t, xydata(10, line+"\n"))
		c := s.Curves[0]
		if !reflect.DeepEqual(c.Y, want) || c.X[0] != 400 || c.X[9] != 409 || len(s.Problems) > 0 {
			t.Errorf("%s: got x %v, y %v, problems %v, want x from 400 to 409, y %v", name, c.X, c.Y, s.Problems, want)
		}
	}
}

// pack returns a table of ordinates in one of four packings, with eight ordinates per line.
func pack(values []int, packing string) string {
	var b strings.Builder
	code := func(v int, zero byte, plus, minus string) string {
		digits := strconv.Itoa(max(v, -v))
		switch first := digits[0] - '0'; {
		case v == 0:
			return string(zero)
		case v > 0:
			return string(plus[first-1]) + digits[1:]
		default:
			return string(minus[first-1]) + digits[1:]
		}
	}
	sqz := func(v int) string { return code(v, '@', "ABCDEFGHI", "abcdefghi") }
	dif := func(v int) string { return code(v, '%', "JKLMNOPQR", "jklmnopqr") }
	for from := 0; from < len(values); from += 8 {
		fmt.Fprintf(&b, "%d", 400+from)
		line := values[from:min(len(values), from+8)]
		switch packing {
		case "AFFN":
			for _, v := range line {
				fmt.Fprintf(&b, " %d", v)
			}
		case "PAC":
			for _, v := range line {
				fmt.Fprintf(&b, "%+d", v)
			}
		case "SQZ":
			for _, v := range line {
				b.WriteString(sqz(v))
			}
		case "DIF":
			if from > 0 { // the check value
				line = values[from-1 : min(len(values), from+8)]
			}
			b.WriteString(sqz(line[0]))
			for i := 1; i < len(line); i++ {
				n := 1
				for i+n < len(line) && line[i+n]-line[i+n-1] == line[i]-line[i-1] {
					n++
				}
				b.WriteString(dif(line[i] - line[i-1]))
				if n > 1 {
					b.WriteByte("STUVWXYZs"[n-1])
					i += n - 1
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestPackingsDecodeToSamePoints(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		values := make([]int, 10+random.IntN(200))
		for i := 1; i < len(values); i++ {
			values[i] = values[i-1]
			if random.IntN(3) > 0 {
				values[i] += random.IntN(2_001) - 1_000
			}
		}
		var first Curve
		for _, packing := range []string{"AFFN", "PAC", "SQZ", "DIF"} {
			s := parse(t, xydata(len(values), pack(values, packing)))
			if len(s.Problems) > 0 {
				t.Fatalf("%s: got problems %v, want none", packing, s.Problems)
			}
			if packing == "AFFN" {
				first = s.Curves[0]
				for i, v := range values {
					if first.Y[i] != 0.5*float64(v) || first.X[i] != float64(400+i) {
						t.Fatalf("point %d: got %v, %v, want %d, %v", i, first.X[i], first.Y[i], 400+i, 0.5*float64(v))
					}
				}
			} else if !reflect.DeepEqual(s.Curves[0], first) {
				t.Fatalf("%s: got %+v, want %+v as in AFFN", packing, s.Curves[0], first)
			}
		}
	}
}

func TestOtherTables(t *testing.T) {
	head := "##TITLE=t\n##DATA TYPE=MASS SPECTRUM\n##XUNITS=M/Z\n##YUNITS=%\n"
	for name, test := range map[string]struct {
		text string
		x, y []float64
	}{
		"peaks":       {head + "##NPOINTS=2\n##PEAK TABLE=(XY..XY)\n50, 5.84; 51,9.55\n##END=\n", []float64{50, 51}, []float64{5.84, 9.55}},
		"exponents":   {head + "##PEAK TABLE=(XY..XY)\n41.0,1.2E5 43.1,9.9E4\n57.2,1e2\n##END=\n", []float64{41, 43.1, 57.2}, []float64{1.2e5, 9.9e4, 100}},
		"squeezed":    {head + "##FIRSTX=1\n##DELTAX=1\n##XYDATA=(X++(Y..Y))\n1 2E5\n##END=\n", []float64{1, 2}, []float64{2, 55}},
		"widths":      {head + "##PEAK TABLE=(XYW..XYW)\n1 2 3\n4 5 6\n##END=\n", []float64{1, 4}, []float64{2, 5}},
		"assignments": {head + "##PEAK ASSIGNMENTS=(XYA)\n(1.5, 2, <CH3>)\n(2.5, 1E+1, M, <a, b>)\n##END=\n", []float64{1.5, 2.5}, []float64{2, 10}},
		"points":      {head + "##XFACTOR=2\n##XYPOINTS=(XY..XY)\n-1.5e-1 2\n##END=\n", []float64{-0.3}, []float64{2}},
		"delta":       {head + "##FIRSTX=10\n##DELTAX=-0.5\n##XYDATA=(X++(Y..Y))\n10 1 2 3\n##END=\n", []float64{10, 9.5, 9}, []float64{1, 2, 3}},
		"no labels":   {head + "##XYDATA=(X++(Y..Y))\n10 1 2\n14 3\n##END=\n", []float64{10, 12, 14}, []float64{1, 2, 3}},
	} {
		s := parse(t, test.text)
		if len(s.Curves) != 1 || !reflect.DeepEqual(s.Curves[0].X, test.x) || !reflect.DeepEqual(s.Curves[0].Y, test.y) || len(s.Problems) > 0 {
			t.Errorf("%s: got %+v, want x %v, y %v", name, s, test.x, test.y)
		}
	}
	s := parse(t, head+"##XYDATA=(X++(Y..Y))\n10 1 ? 3\n##END=\n")
	if c := s.Curves[0]; !math.IsNaN(c.Y[1]) || c.Y[2] != 3 {
		t.Errorf("a missing ordinate: got y %v, want 1, NaN, 3", c.Y)
	}
}

const ntuples = `##TITLE= re im
##JCAMP-DX= 5.00
##DATA TYPE= NMR FID
##NTUPLES= NMR FID
##VAR_NAME= TIME, FID/REAL, FID/IMAG, PAGE NUMBER
##SYMBOL= X, R, I, N
##VAR_DIM= 3, 3, 3, 2
##UNITS= SECONDS, ARBITRARY, OTHER,
##FIRST= 1, 0, 0, 1
##LAST= 3, 0, 0, 2
##FACTOR= 1, 2, 10, 1
##PAGE= N=1
##DATA TABLE= (X++(R..R)), XYDATA
1 2 3 4
##PAGE= N=2
##DATA TABLE= (X++(I..I)), XYDATA
1C@a
##END NTUPLES= NMR FID
##END=
`

func TestNTUPLES(t *testing.T) {
	s := parse(t, ntuples)
	want := []Curve{
		{Page: "N=1", XUnits: "SECONDS", YUnits: "ARBITRARY", Symbols: "X,R", X: []float64{1, 2, 3}, Y: []float64{4, 6, 8}},
		{Page: "N=2", XUnits: "SECONDS", YUnits: "OTHER", Symbols: "X,I", X: []float64{1, 2, 3}, Y: []float64{30, 0, -10}},
	}
	if !reflect.DeepEqual(s.Curves, want) || len(s.Problems) > 0 {
		t.Errorf("got %+v, want curves %+v", s, want)
	}
}

func link() string {
	return "##TITLE= both\n##DATA TYPE= LINK\n##BLOCKS= 2\n##SAMPLE DESCRIPTION= x\n" + xydata(3, "400 1 2 3\n") + "$$ between\n" + ntuples + "##END=\n"
}

func readAll(data []byte) (all []records.Record) {
	s := records.NewScanner(bytes.NewReader(data), Boundary(), true)
	for {
		raw, err := s.Next()
		if err != nil {
			return all
		}
		all = append(all, Read(raw.Bytes))
	}
}

func TestLinkedBlocks(t *testing.T) {
	all := readAll([]byte(link()))
	if len(all) != 2 || all[0].Name != "test" || all[1].Name != "re im" || all[1].Properties.Get(Curves) != int64(2) {
		t.Fatalf("got %+v, want the blocks test and re im", all)
	}
	r := all[0]
	if r.Properties.Get(DataType) != "INFRARED SPECTRUM" || r.Properties.Get(Points) != int64(3) || r.Properties.Get(MaxX) != 402.0 || r.Properties.Get(MinY) != 0.5 {
		t.Errorf("got properties %+v, want an infrared spectrum with 3 points, maxX 402, minY 0.5", r.Properties)
	}
	if units, _ := r.Fields.Get("YUNITS"); units != "TRANSMITTANCE" {
		t.Errorf("got fields %+v, want YUNITS = TRANSMITTANCE", r.Fields)
	}
}

func TestDamagedBlocksNameLineAndToken(t *testing.T) {
	for text, want := range map[string]string{
		"##ORIGIN= x\n":                                    "does not begin with ##TITLE=",
		xydata(3, "400 1 2 3\n403 <zz> 4\n"):               `line 13: "<zz>" is not a number`,
		xydata(3, "400 1\nx 2\n"):                          `line 13: "x" is not a number`,
		xydata(3, "400A%9s99999999\n"):                     "repeats",
		"##TITLE=\n##PEAK TABLE=(XY..XY)\n1, 2\n3, four\n": `line 4: "four" is not a number`,
	} {
		if _, err := Parse(text); !errors.Is(err, ErrNotSpectrum) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		xydata(5, "400 1 2 3\n"):                   "5 points are stated, but there are 3",
		xydata(4, "400AJJ\n402FJ\n"):               "1 check values differ",
		"##TITLE=\n##XYDATA= (R..)\n1":             "cannot be read",
		"##TITLE=\n##PEAK TABLE=(XY..XY)\n1 2 3\n": "the last point is incomplete",
	} {
		if s := parse(t, text); !strings.Contains(strings.Join(s.Problems, ";"), want) {
			t.Errorf("%q: got problems %v, want %s", text, s.Problems, want)
		}
	}
}

func wellFormed(svg []byte) error {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestDrawing(t *testing.T) {
	for _, text := range []string{xydata(3, "400 1 2 3\n"), ntuples, "##TITLE=\n##XUNITS=<&>\n##PEAK TABLE=(XY..XY)\n5 5\n"} {
		svg, err := parse(t, text).SVG()
		if err != nil || wellFormed(svg) != nil || bytes.Contains(svg, []byte("NaN")) || !bytes.Contains(svg, []byte(`d="M`)) {
			t.Errorf("got %s, error %v, want well-formed XML with a path and without NaN", svg, err)
		}
	}
	if _, err := parse(t, "##TITLE=x\n").SVG(); !errors.Is(err, ErrNotDrawn) {
		t.Errorf("without points: got error %v, want ErrNotDrawn", err)
	}
	large := xydata(100_000, strings.Repeat("400"+strings.Repeat("+1-1", 50)+"\n", 1_000))
	svg, err := parse(t, large).SVG()
	if err != nil || len(svg) > 100_000 {
		t.Errorf("a large spectrum: got an SVG of %d bytes, error %v, want at most 100,000", len(svg), err)
	}
}

func seeds() [][]byte {
	return [][]byte{[]byte(xydata(10, "400AJJ%jX\n410cJJ\n")), []byte(link()), []byte("##TITLE=p\n##PEAK ASSIGNMENTS=(XYA)\n(1.5, 2, <CH3>)\n##END=\n##TITLE=q\n##PEAK TABLE=(XY..XY)\n1,2 3,4\n##END=")}
}

func use(data []byte) {
	readAll(data)
	if s, err := Parse(string(data)); err == nil {
		_, _ = s.SVG()
	}
}

func TestDamagedFiles(t *testing.T) { recordstest.Mutate(t, *mutations, seeds(), use) }

func FuzzSpectra(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		use(data)
		s, err := Parse(string(data))
		if err != nil {
			return
		}
		for _, c := range s.Curves {
			if len(c.X) != len(c.Y) {
				t.Errorf("got %d abscissas and %d ordinates, want the same number", len(c.X), len(c.Y))
			}
		}
		if svg, err := s.SVG(); err == nil && wellFormed(svg) != nil {
			t.Errorf("got %s, want well-formed XML", svg)
		}
	})
}
