package molecule

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/library/records"
)

var (
	samples = flag.String("samples", "", "compare with RDKit on these SDF and MOL `files`, separated by commas")
	python  = flag.String("python", "/usr/bin/python3", "the interpreter that has RDKit")
)

// compositionText is how the script prints a composition.
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

// contents returns a file, decompressed if its name ends in .gz.
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

// TestAgainstRDKit compares compositions, charges and exact masses. Debian has RDKit as python3-rdkit.
func TestAgainstRDKit(t *testing.T) {
	if *samples == "" {
		t.Skip("needs -samples, SDF files to compare on, and RDKit")
	}
	names := strings.Split(*samples, ",")
	script := exec.CommandContext(t.Context(), *python, append([]string{"testdata/determine.py"}, names...)...)
	script.Stderr = os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		theirs[part[0]+" "+part[1]] = part[2:]
	}
	var both, open, composition, charge, mass, refused int
	for _, name := range names {
		s := records.NewScanner(contents(t, name), BoundarySDF(), true)
		for i := 0; ; i++ {
			raw, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			place := fmt.Sprintf("%s %d", name, i)
			want := theirs[place]
			if want == nil {
				t.Fatalf("%s: RDKit has no answer", place)
			}
			m, err := Parse(raw.Bytes)
			if len(want) == 1 || err != nil {
				refused++
				continue
			}
			c, _, reason := m.Composition()
			if reason != "" {
				open++
				t.Logf("%s is not determined: %s", place, reason)
				continue
			}
			both++
			_, exact, reason := c.Masses()
			wanted, err := strconv.ParseFloat(want[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case compositionText(&c) != want[0]:
				composition++
				t.Logf("%s: %s, RDKit %s", place, compositionText(&c), want[0])
			case strconv.Itoa(c.Charge) != want[1]:
				charge++
				t.Errorf("%s: charge %d, RDKit %s", place, c.Charge, want[1])
			case reason == "" && math.Abs(exact-wanted) > 1e-4:
				mass++
				t.Errorf("%s: exact mass %.6f, RDKit %s", place, exact, want[2])
			}
		}
	}
	t.Logf("%d records compared, %d other compositions, %d charges, %d masses; %d not determined, %d refused by one", both, composition, charge, mass, open, refused)
	if both == 0 || float64(composition) > 0.001*float64(both) {
		t.Errorf("%d of %d compositions differ", composition, both)
	}
}

// BenchmarkReadSDF reads the first of the samples, or one molecule many times.
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
