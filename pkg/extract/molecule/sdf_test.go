package molecule

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

var mutations = flag.Int("mutations", 200, "number of damaged files for each parser")

func TestDataItems(t *testing.T) {
	r := ReadSDF([]byte(strings.ReplaceAll(block("O", "")+`>  <LOGP> (12)
 -1.38

> 25 <Melting <point>>
0
second line

goes on

> DT7
x

>  <empty>

>  <latin>
`+"\xb0C\n\n$$$$\n", "\n", "\r\n")))
	want := records.Fields{{Name: "LOGP", Value: "-1.38"}, {Name: "Melting <point>", Value: "0\nsecond line\n\ngoes on"}, {Name: "DT7", Value: "x"}, {Name: "empty"}, {Name: "latin", Value: "°C"}}
	if !reflect.DeepEqual(r.Fields, want) || r.Name != "title" {
		t.Errorf("got name %q and fields %+v, want title and %+v", r.Name, r.Fields, want)
	}
}

// A written record is read back as one record, even if a value contains delimiters of the format.
func TestWrittenSDFIsReadBack(t *testing.T) {
	r := ReadSDF([]byte(block("C O", "1-2")))
	fields := records.Fields{{Name: "a", Value: "1"}, {Name: "lines", Value: "x\n\n>  <b>\n$$$$\ny"}}
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	for range 2 {
		if err := WriteSDF(w, &r, fields); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	s := records.NewScanner(&out, BoundarySDF(), true)
	for i := 0; ; i++ {
		raw, err := s.Next()
		if errors.Is(err, io.EOF) {
			if i != 2 {
				t.Errorf("got %d records, want 2", i)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		back := ReadSDF(raw.Bytes)
		if lines, _ := back.Fields.Get("lines"); len(back.Fields) != 2 || lines != "x\n\n >  <b>\n $$$$\ny" || back.Properties.Get(Formula) != "CH4O" {
			t.Errorf("got %+v, want CH4O with 2 fields and indented lines", back)
		}
	}
}

func TestDamagedBlocksNameTheLine(t *testing.T) {
	good := block("C O", "1-2")
	for name, test := range map[string]struct{ text, want string }{
		"empty":               {"", "header"},
		"counts":              {strings.Replace(good, "  2  1", " xx  1", 1), "line 4: the counts line"},
		"missing atoms":       {"\n\n\n  9  0  0 V2000\n", "line 4: the block ends after 0 of 9 atoms"},
		"coordinate":          {strings.Replace(good, "1.5000", "1.5x00", 1), "line 6: the coordinates of atom 2"},
		"bond":                {strings.Replace(good, "\n  1  2  1", "\n  1  7  1", 1), "line 7: bond 1 joins the atoms 1 and 7 of 2"},
		"no end":              {strings.Replace(good, "M  END\n", "", 1), "M  END is missing"},
		"V3 bond":             {strings.Replace(blockV3("C O", "1-2", nil), " 1 1 10 20", " 1 1 10 30", 1), "bond 1 joins the atoms 10 and 30"},
		"V3 cut off":          {blockV3("C O", "1-2", nil)[:200], "M  END is missing"},
		"V3 counts too large": {strings.Replace(blockV3("C O", "1-2", nil), "COUNTS 2 1", "COUNTS 9999999 1", 1), "do not fit in the block or exceed the limits"},
	} {
		r := ReadSDF([]byte(test.text))
		if _, err := Parse([]byte(test.text)); !errors.Is(err, ErrNotMolecule) || !strings.Contains(r.Error, test.want) {
			t.Errorf("%s: got %q, error %v, want %q and ErrNotMolecule", name, r.Error, err, test.want)
		}
	}
}

func rxn(reactants, products []string) string {
	var b strings.Builder
	b.WriteString("$RXN\nester\n  test\n\n" + "  " + string(rune('0'+len(reactants))) + "  " + string(rune('0'+len(products))) + "\n")
	for _, m := range append(reactants, products...) {
		b.WriteString("$MOL\n" + m)
	}
	return b.String()
}

func esterification() string {
	return rxn([]string{block("C C O O", "1-2 2=3 2-4"), block("C O", "1-2")}, []string{block("C C O O C", "1-2 2=3 2-4 4-5"), block("O", "")})
}

func rxnV3() string {
	table := func(text string) string {
		return text[strings.Index(text, "M  V30 BEGIN CTAB"):strings.Index(text, "M  END")]
	}
	return "$RXN V3000\nname\n\n\nM  V30 COUNTS 1 1 1\nM  V30 BEGIN REACTANT\n" + table(blockV3("C O", "1-2", nil)) + "M  V30 END REACTANT\nM  V30 BEGIN PRODUCT\n" +
		table(blockV3("C O", "1=2", nil)) + "M  V30 END PRODUCT\nM  V30 BEGIN AGENT\n" + table(blockV3("Pd", "", nil)) + "M  V30 END AGENT\nM  END\n"
}

func rdf() string {
	return HeaderRDF + "$RFMT $RIREG 12\n" + esterification() + "$DTYPE RXN:YIELD\n$DATUM 87.5\n$DTYPE RXN:NOTE\n$DATUM two\nlines\n" +
		"$MFMT\n" + block("C", "") + "$DTYPE MOL:ID\n$DATUM 7\n$RFMT\ndamaged\n"
}

func TestReactions(t *testing.T) {
	r := ReadRXN([]byte(esterification()))
	if r.Name != "ester" || r.Properties.Get(ReactantFormulas) != "C2H4O2 + CH4O" || r.Properties.Get(ProductFormulas) != "C3H6O2 + H2O" || r.Properties.Get(Balanced) != true {
		t.Errorf("got %+v, want a balanced esterification", r)
	}
	r = ReadRXN([]byte(rxnV3()))
	if r.Properties.Get(ReactantFormulas) != "CH4O" || r.Properties.Get(ProductFormulas) != "CH2O" || r.Properties.Get(Balanced) != false || r.Properties.Get(Agents) != int64(1) {
		t.Errorf("got %+v, want an unbalanced reaction of CH4O to CH2O with 1 agent", r)
	}
	if r := ReadRXN([]byte(rxn([]string{block("C R1", "1-2")}, nil))); len(r.NotDetermined) == 0 || r.Properties.Get(Balanced) != nil {
		t.Errorf("an R group: got %+v, want balanced undetermined", r)
	}
	if r := ReadRXN([]byte(esterification()[:200])); !strings.Contains(r.Error, "molecule 1, which begins in line 7: line") {
		t.Errorf("got %q, want an error that names molecule 1 and line 7", r.Error)
	}
}

func readRDF(text string) (all []records.Record) {
	s := records.NewScanner(strings.NewReader(text), BoundaryRDF(), true)
	for {
		raw, err := s.Next()
		if err != nil {
			return all
		}
		all = append(all, ReadRDF(raw.Bytes))
	}
}

func TestRDF(t *testing.T) {
	all := readRDF(rdf())
	if len(all) != 3 {
		t.Fatalf("got %d records, want 3", len(all))
	}
	want := records.Fields{{Name: "RXN:YIELD", Value: "87.5"}, {Name: "RXN:NOTE", Value: "two\nlines"}}
	if !reflect.DeepEqual(all[0].Fields, want) || all[0].Properties.Get(Balanced) != true {
		t.Errorf("got %+v, want a balanced reaction with fields %+v", all[0], want)
	}
	if all[1].Properties.Get(Formula) != "CH4" || !all[2].Failed() {
		t.Errorf("got %+v\n%+v, want CH4 and a failed record", all[1], all[2])
	}
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	if err := WriteRDF(w, &all[0], want); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if back := readRDF(HeaderRDF + out.String()); len(back) != 1 || !reflect.DeepEqual(back[0].Fields, want) {
		t.Errorf("after a round trip: got %+v, want fields %+v", back, want)
	}
}

// TestMoleculesOfRDF checks a $MOL line between the record line, or the registry number, and the molfile.
func TestMoleculesOfRDF(t *testing.T) {
	for _, head := range []string{"$MFMT\n", "$MFMT\n$MOL\n", "$MFMT $MIREG 7\n$MOL\n"} {
		all := readRDF(HeaderRDF + head + block("C", "") + "$DTYPE ID\n$DATUM 7\n")
		want := records.Fields{{Name: "ID", Value: "7"}}
		if len(all) != 1 || all[0].Properties.Get(Formula) != "CH4" || !reflect.DeepEqual(all[0].Fields, want) {
			t.Errorf("%q: got %+v, want CH4 with the field %+v", head, all, want)
		}
	}
}

// wellFormed returns an error if the XML is not well-formed.
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

func TestDrawings(t *testing.T) {
	m, err := Parse([]byte(block("C C N O <&> Cl", "1=2 2-3 3#4 4:5 5-6", "M  CHG  1   3   1", "M  ISO  1   4  18")))
	if err != nil {
		t.Fatal(err)
	}
	svg, err := m.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">N<", ">18<", ">&lt;&amp;&gt;<", ">Cl<", ">+<", "viewBox"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("got %s, want it to contain %s", svg, want)
		}
	}
	if bytes.Contains(svg, []byte(">C<")) || bytes.Contains(svg, []byte("NaN")) {
		t.Errorf("got %s, want no label C and no NaN", svg)
	}
	x, err := ParseReaction([]byte(esterification()))
	if err != nil {
		t.Fatal(err)
	}
	reaction, err := x.SVG()
	if err != nil || bytes.Count(reaction, []byte(">+<")) != 2 {
		t.Errorf("got %s, error %v, want 2 plus signs", reaction, err)
	}
	for _, drawing := range [][]byte{svg, reaction} {
		if err := wellFormed(drawing); err != nil {
			t.Errorf("got %s, error %v, want well-formed XML", drawing, err)
		}
	}
	flat, err := Parse([]byte(strings.ReplaceAll(strings.ReplaceAll(block("C C", "1-2"), "1.5000", "0.0000"), "1.0000", "0.0000")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flat.SVG(); !errors.Is(err, ErrNotDrawn) {
		t.Errorf("without coordinates: got error %v, want ErrNotDrawn", err)
	}
}

// Records of many small parts take no longer than other records of their size.
func TestManySmallParts(t *testing.T) {
	const n = 60_000
	ring := make([]string, 999)
	for i := range ring {
		ring[i] = fmt.Sprintf("%d:%d", i+1, (i+1)%999+1)
	}
	for name, text := range map[string]string{
		"names":    block("C", "") + strings.Repeat(">  <a>\nx\n\n", n),
		"lines":    "$RFMT\n" + esterification() + "$DTYPE a\n$DATUM b\n" + strings.Repeat("c\n", n),
		"odd ring": block(strings.Repeat("C ", 999), strings.Join(ring, " ")),
	} {
		since := time.Now()
		use([]byte(text))
		if took := time.Since(since); took > 10*time.Second {
			t.Errorf("%s: took %v, want at most 10s", name, took)
		}
	}
	var names strings.Builder
	for i := range n {
		fmt.Fprintf(&names, ">  <%d>\n\n", i)
	}
	if r := ReadSDF([]byte(block("C", "") + names.String())); len(r.Fields) != records.MaxFields {
		t.Errorf("got %d fields, want %d", len(r.Fields), records.MaxFields)
	}
	all := readRDF("$RFMT\n" + esterification() + "$DTYPE a\n$DATUM " + strings.Repeat("d", 73) + "+\ne\nf+\n")
	if want := strings.Repeat("d", 73) + "e\nf+"; all[0].Fields[0].Value != want {
		t.Errorf("got %q, want %q", all[0].Fields[0].Value, want)
	}
}

func seeds() [][]byte {
	texts := []string{
		block("C C O", "1-2 2=3", "M  CHG  1   1   1") + ">  <a>\n1\n\n$$$$\n", blockV3("C N O", "1-2 2=3", map[int]string{1: "CHG=1 MASS=13"}),
		block("C C C C C N", benzene, "M  RAD  1   1   2", "M  STY  1   1 DAT"), block("C C N C C N C N C O O C C C", caffeine), esterification(), rxnV3(), rdf(),
	}
	var all [][]byte
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

// use processes data like the content of a file.
func use(data []byte) {
	for _, r := range append(readRDF(string(data)), ReadSDF(data), ReadRXN(data)) {
		_ = r.Failed()
	}
	if m, err := Parse(data); err == nil {
		_, _ = m.SVG()
	}
	if x, err := ParseReaction(data); err == nil {
		_, _ = x.SVG()
	}
}

func TestDamagedFiles(t *testing.T) { recordstest.Mutate(t, *mutations, seeds(), use) }

func FuzzMolecules(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		use(data)
		r := ReadSDF(data)
		if r.Failed() {
			return
		}
		for _, name := range r.NotDetermined {
			if r.Properties.Get(name) != nil {
				t.Errorf("got value %v of the undetermined property %s, want none", r.Properties.Get(name), name)
			}
		}
		if m, err := Parse(data); err == nil {
			if svg, err := m.SVG(); err == nil && wellFormed(svg) != nil {
				t.Errorf("got %s, want well-formed XML", svg)
			}
		}
	})
}

// TestValuesWithAngleBrackets checks which lines that begin with ">" are text of a value. RDKit 2022.09.3 and Open Babel
// 3.1.1 read the values of the qualifiers and of bug2911300.sdf of the CDK in the same way, and RDKit those of
// its BlankPropLines.sdf.
func TestValuesWithAngleBrackets(t *testing.T) {
	for name, test := range map[string]struct {
		data string
		want records.Fields
	}{
		"qualifiers":        {">  <IC50_uM>\n>100\n\n>  <Target>\nX\n\n", records.Fields{{Name: "IC50_uM", Value: ">100"}, {Name: "Target", Value: "X"}}},
		"only a sign":       {"> <a>\n>\n\n> <b>\n>>\n\n", records.Fields{{Name: "a", Value: ">"}, {Name: "b", Value: ">>"}}},
		"every line":        {"> <a>\n>1\n> 2\n>= 3\n<4\n\n", records.Fields{{Name: "a", Value: ">1\n> 2\n>= 3\n<4"}}},
		"after a blank":     {"> <a>\nx\n\n>1\n\n> <b>\n2\n\n", records.Fields{{Name: "a", Value: "x\n\n>1"}, {Name: "b", Value: "2"}}},
		"no number":         {"> <a>\n>DTPA complex\n>DT\n>5 DTx\n\n> DT12 55\n1\n\n", records.Fields{{Name: "a", Value: ">DTPA complex\n>DT\n>5 DTx"}, {Name: "DT12", Value: "1"}}},
		"no name":           {"> <a>\n> <>\n>x <\n>< 5\n\n", records.Fields{{Name: "a", Value: "> <>\n>x <\n>< 5"}}},
		"another form":      {">  <a>  (1) \nfoo\n>  <b>\nbaz\n \n\n>  <c>  (1) \n2\n\n", records.Fields{{Name: "a", Value: "foo\n>  <b>\nbaz"}, {Name: "c", Value: "2"}}},
		"no blank lines":    {">  <a>\n1\n>  <b>\n>2\n>  <c>\n", records.Fields{{Name: "a", Value: "1"}, {Name: "b", Value: ">2"}, {Name: "c"}}},
		"without a name":    {"> 25\n1\n\n> <b>\n2\n\n", records.Fields{{Name: "25", Value: "1"}, {Name: "b", Value: "2"}}},
		"other forms first": {"> 1 <a> DT1\n1\n\n> <b>\n2\n\n> DT3\n3\n", records.Fields{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "DT3", Value: "3"}}},
	} {
		for _, lineBreak := range []string{"\n", "\r\n"} {
			r := ReadSDF([]byte(strings.ReplaceAll(block("O", "")+test.data+"$$$$\n", "\n", lineBreak)))
			if !reflect.DeepEqual(r.Fields, test.want) {
				t.Errorf("%s: got %q, want %q", name, r.Fields, test.want)
			}
		}
	}
}

// TestWrittenValuesAreReadBack checks that values survive an export.
func TestWrittenValuesAreReadBack(t *testing.T) {
	r := ReadSDF([]byte(block("O", "")))
	want := records.Fields{{Name: "a", Value: ">100"}, {Name: "b", Value: "x\n>1\n> 2\n<3"}, {Name: "c", Value: ">"}, {Name: "d", Value: ">DT"}}
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	if err := errors.Join(WriteSDF(w, &r, want), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if got := ReadSDF(out.Bytes()).Fields; !reflect.DeepEqual(got, want) || !strings.Contains(out.String(), "\n>100\n") {
		t.Errorf("got %q from %q, want %q", got, out.String(), want)
	}
}
