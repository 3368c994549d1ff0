package rdkit

import (
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

var python = flag.String("python", "", "the Python `interpreter` that has RDKit, with which TestFingerprintsAgainstPython compares the molecules of -samples")

// TestFingerprints compares fingerprints with those of fingerprints.py and RDKit 2022.09.3 of Debian 12.
func TestFingerprints(t *testing.T) {
	s := open(t, t.Context())
	for _, test := range []struct{ molecule, want string }{
		{"CCO", "80 222 294 807 1057 1410"},
		{"CC(=O)Oc1ccccc1C(=O)O", "389 456 650 695 807 909 1017 1035 1047 1057 1088 1199 1380 1410 1447 1468 1616 1729 1750 1775 1873 1917 1970 1991"},
		{"CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "33 314 378 400 463 504 564 650 771 932 935 1024 1057 1145 1203 1258 1307 1354 1380 1409 1440 1452 1517 1696 1873"},
		{"C[C@H](N)C(=O)O", "1 132 283 389 473 650 786 807 1057 1171 1844 1917"},
		{"[Na+].[Cl-]", "1213 1866"},
		{"[13CH4]", "1264"},
		{"CC(C)(C)[Si](C)(C)OC/C=C/c1ccc2[nH]ccc2c1", "25 26 80 114 119 378 392 442 465 522 656 694 695 711 806 835 875 977 1046 1057 1064 1089 1114 1191 1356 1380 1506 1521 1557 1578 1750 1855 1862 1873 1939 1955 2003 2033 2041"},
	} {
		f, err := s.Fingerprint(test.molecule)
		if err != nil || bits(f) != test.want {
			t.Errorf("%s: got bits %s, error %v, want %s", test.molecule, bits(f), err, test.want)
		}
	}
	const imine = "382 547 623 675 804 850 889 910 1019 1057 1083 1309 1380 1443 1594 1691 1873 2022"
	for _, smiles := range []string{"C[C@H]1C=CC(=N)S1", "[H]/N=C1/C=C[C@H](C)S1", "[H]/N=C1\\C=C[C@H](C)S1"} {
		if f, err := s.Fingerprint(smiles); err != nil || bits(f) != imine {
			t.Errorf("%s: got bits %s, error %v, want %s", smiles, bits(f), err, imine)
		}
	}
	if f, err := s.Fingerprint("C1CC"); !errors.Is(err, ErrUnreadable) || f != nil {
		t.Errorf("a ring that is not closed: got %v, error %v, want ErrUnreadable", f, err)
	}
	if f, err := s.Fingerprint(ethanol); err != nil || bits(f) != "80 222 294 807 1057 1410" {
		t.Errorf("after an error: got bits %s, error %v, want those of ethanol", bits(f), err)
	}
}

// bits returns the bits of a fingerprint as fingerprints.py writes them.
func bits(f *fingerprint.Fingerprint) string {
	if f == nil {
		return "-"
	}
	var all []string
	for bit := range f.All {
		all = append(all, fmt.Sprint(bit))
	}
	return strings.Join(all, " ")
}

// TestFingerprintsAgainstPython compares the fingerprints of the molecules of a file with those of RDKit for Python, bit for bit.
func TestFingerprintsAgainstPython(t *testing.T) {
	if *python == "" {
		t.Skip("requires -python")
	}
	theirs, err := exec.CommandContext(t.Context(), *python, "testdata/fingerprints.py", *samples).Output()
	if err != nil {
		t.Fatal(err)
	}
	want, all := strings.Split(strings.TrimSpace(string(theirs)), "\n"), blocks(t, *samples)
	if len(want) != len(all) || len(all) == 0 {
		t.Fatalf("got %d fingerprints of %d molecules, want one for each, and at least one", len(want), len(all))
	}
	s, different, since := open(t, t.Context()), 0, time.Now()
	for i, block := range all {
		f, err := s.Fingerprint(block)
		if err != nil && !errors.Is(err, ErrUnreadable) {
			t.Fatal(err)
		}
		if got := bits(f); got != want[i] {
			different++
			t.Errorf("molecule %d: got bits %s, want %s", i+1, got, want[i])
		}
	}
	t.Logf("%d molecules, %d different, %v each", len(all), different, time.Since(since)/time.Duration(len(all)))
}

func BenchmarkFingerprint(b *testing.B) {
	s := open(b, b.Context())
	for b.Loop() {
		if _, err := s.Fingerprint("CC(=O)Oc1ccccc1C(=O)O"); err != nil {
			b.Fatal(err)
		}
	}
}
