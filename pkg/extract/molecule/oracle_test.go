package molecule

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
)

var (
	samples = flag.String("samples", "", "compare with RDKit and Open Babel on these SDF and MOL `files`, separated by commas")
	python  = flag.String("python", "/usr/bin/python3", "Python interpreter with RDKit")
)

// compositionText returns a composition in the form in which the script prints it.
func compositionText(c *Composition) string {
	var parts []string
	for e, n := range c.Elements {
		if n > 0 {
			parts = append(parts, Element(e).Symbol()+strconv.Itoa(n))
		}
	}
	slices.SortFunc(parts, func(a, b string) int {
		return strings.Compare(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789"))
	})
	return strings.Join(parts, " ")
}

// contents returns the contents of a file, decompressed if its name ends in .gz.
func contents(t *testing.T, name string) io.Reader {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return bytes.NewReader(data)
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answer is another program's result for a record, or the reason why there is none.
type answer struct{ composition, charge, mass, word string }

// TestAgainstRDKit compares compositions, charges and exact masses with those of RDKit (Debian package
// python3-rdkit).
func TestAgainstRDKit(t *testing.T) {
	names := sampleFiles(t)
	compare(t, "RDKit", names, ofRDKit(t, names))
}

// ofRDKit returns RDKit's answers by file and index.
func ofRDKit(t *testing.T, names []string) map[string]answer {
	t.Helper()
	script := exec.CommandContext(t.Context(), *python, "testdata/determine.py")
	script.Stdin, script.Stderr = strings.NewReader(strings.Join(names, "\n")), os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]answer{}
	for line := range strings.Lines(string(out)) {
		part := append(strings.Split(strings.TrimRight(line, "\n"), "\t"), "", "")
		if len(part) < 7 {
			theirs[part[0]+" "+part[1]] = answer{word: part[2]}
			continue
		}
		theirs[part[0]+" "+part[1]] = answer{part[2], part[3], part[4], ""}
	}
	return theirs
}

// TestAgainstOpenBabel compares compositions and charges with the formulas of Open Babel (Debian package
// openbabel) for -samples. It skips records for which RDKit contradicts Open Babel, such as metal hydrides.
func TestAgainstOpenBabel(t *testing.T) {
	if *samples == "" {
		t.Skip("-samples, SDF files for the comparison with Open Babel, is not set")
	}
	names := sampleFiles(t)
	theirs := map[string]answer{}
	for _, name := range names {
		eachRecord(t, name, func(i int, raw []byte) {
			// The title of each record is its index, since Open Babel omits records that it cannot read.
			_, rest, _ := bytes.Cut(raw, []byte("\n"))
			theirs[fmt.Sprintf("%s %d", name, i)] = answer{word: string(rest)}
		})
	}
	places := slices.Sorted(maps.Keys(theirs))
	var file bytes.Buffer
	for n, place := range places {
		fmt.Fprintf(&file, "%d\n%s", n, theirs[place].word)
		if text := file.Bytes(); !bytes.HasSuffix(bytes.TrimSpace(text), []byte("$$$$")) {
			file.WriteString("$$$$\n")
		}
		theirs[place] = answer{word: "unread"}
	}
	all := filepath.Join(t.TempDir(), "all.sdf")
	if err := os.WriteFile(all, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "obabel", "-isdf", all, "-otxt", "--append", "formula", "-e").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		n, formula, ok := strings.Cut(strings.TrimSpace(line), " ")
		place, err := strconv.Atoi(n)
		if err != nil {
			t.Fatalf("got %q from Open Babel, want an index and a formula", line)
		}
		if ok {
			theirs[places[place]] = ofFormula(t, formula)
		}
	}
	for place, other := range ofRDKit(t, names) {
		if own := theirs[place]; own.word == "" && other.word == "" && own.composition != other.composition {
			t.Logf("%s: %s, RDKit %s", place, own.composition, other.composition)
			theirs[place] = answer{word: "contradicted"}
		}
	}
	compare(t, "Open Babel", names, theirs)
}

var elementCount = regexp.MustCompile(`([A-Z][a-z]?)(\d*)`)

// ofFormula returns the answer that a formula of Open Babel contains. Such formulas use D and T for isotopes of
// hydrogen, and a sign for each unit of charge.
func ofFormula(t *testing.T, formula string) answer {
	t.Helper()
	var c Composition
	for _, part := range elementCount.FindAllStringSubmatch(formula, -1) {
		symbol, n := part[1], 1
		if symbol == "D" || symbol == "T" {
			symbol = "H"
		}
		if part[2] != "" {
			var err error
			if n, err = strconv.Atoi(part[2]); err != nil {
				t.Fatal(err)
			}
		}
		c.add(elements().lookup([]byte(symbol)), 0, n)
	}
	charge := strings.Count(formula, "+") - strings.Count(formula, "-")
	return answer{composition: compositionText(&c), charge: strconv.Itoa(charge)}
}

// sampleFiles returns the files given by -samples, or else all SDF and MOL files in the folder ASSAY_MOLECULES.
func sampleFiles(t *testing.T) (names []string) {
	t.Helper()
	folder := os.Getenv("ASSAY_MOLECULES")
	switch {
	case *samples != "":
		return strings.Split(*samples, ",")
	case folder == "":
		t.Skip("neither ASSAY_MOLECULES, a folder of SDF and MOL files for the comparison with another program, nor -samples is set")
	}
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		switch strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz"))) {
		case ".sdf", ".sd", ".mol", ".mdl":
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func eachRecord(t *testing.T, name string, do func(i int, raw []byte)) {
	t.Helper()
	s := records.NewScanner(contents(t, name), BoundarySDF(), true)
	for i := 0; ; i++ {
		raw, err := s.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		do(i, raw.Bytes)
	}
}

// compare fails unless nearly all compositions, and all charges and exact masses, are equal.
func compare(t *testing.T, program string, names []string, theirs map[string]answer) {
	t.Helper()
	var both, open, composition, charge, mass, refused int
	for _, name := range names {
		eachRecord(t, name, func(i int, raw []byte) {
			place := fmt.Sprintf("%s %d", name, i)
			want, ok := theirs[place]
			if !ok {
				t.Fatalf("%s: got no answer from %s, want one", place, program)
			}
			m, err := Parse(raw)
			if want.word != "" || err != nil {
				refused++
				return
			}
			c, _, reason := m.Composition()
			if reason != "" {
				open++
				t.Logf("%s is not determined: %s", place, reason)
				return
			}
			both++
			_, exact, reason := c.Masses()
			wanted := exact
			if want.mass != "" {
				if wanted, err = strconv.ParseFloat(want.mass, 64); err != nil {
					t.Fatal(err)
				}
			}
			switch {
			case compositionText(&c) != want.composition:
				composition++
				t.Logf("%s: got %s, %s has %s", place, compositionText(&c), program, want.composition)
			case strconv.Itoa(c.Charge) != want.charge:
				charge++
				t.Errorf("%s: got charge %d, want %s as in %s", place, c.Charge, want.charge, program)
			case reason == "" && math.Abs(exact-wanted) > 1e-4:
				mass++
				t.Errorf("%s: got exact mass %.6f, want %s as in %s", place, exact, want.mass, program)
			}
		})
	}
	t.Logf("compared %d records with %s: %d compositions, %d charges and %d masses differ; %d not determined, %d rejected by one program",
		both, program, composition, charge, mass, open, refused)
	if both == 0 || float64(composition) > 0.001*float64(both) {
		t.Errorf("got %d of %d compositions that differ, want at most 0.1%%", composition, both)
	}
}

// BenchmarkReadSDF reads the first sample file, or one molecule many times.
func BenchmarkReadSDF(b *testing.B) {
	data := []byte(strings.Repeat(block("C C N C C N C N C O O C C C", caffeine)+">  <CID>\n2519\n\n$$$$\n", 1_000))
	if *samples != "" {
		var err error
		if data, err = os.ReadFile(strings.Split(*samples, ",")[0]); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	n := 0
	for b.Loop() {
		s := records.NewScanner(bytes.NewReader(data), BoundarySDF(), true)
		for {
			raw, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			ReadSDF(raw.Bytes)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}
