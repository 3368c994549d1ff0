package rdkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var engine *Engine

func TestMain(m *testing.M) {
	os.Exit(wasmtest.MainRDKit(m, New, func(e *Engine) { engine = e }))
}

// open returns a session with a time limit that suffices on busy machines. It is closed when the test ends.
func open(t testing.TB, ctx context.Context) *Session {
	t.Helper()
	s := engine.Open(ctx)
	s.limit = time.Minute
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ethanol is a MOL block without coordinates.
const ethanol = "ethanol\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n" +
	"    0.0000    0.0000    0.0000 C   0  0\n    0.0000    0.0000    0.0000 C   0  0\n    0.0000    0.0000    0.0000 O   0  0\n" +
	"  1  2  1  0\n  2  3  1  0\nM  END\n"

// identified checks that a session identifies ethanol.
func identified(t *testing.T, s *Session) {
	t.Helper()
	id, _, err := s.Identify(ethanol)
	if want := (Identity{"CCO", "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", "LFQSCWFLJHTTHZ-UHFFFAOYSA-N"}); err != nil || id != want {
		t.Errorf("got %v, error %v, want %v", id, err, want)
	}
}

func TestVersion(t *testing.T) {
	s := open(t, t.Context())
	identified(t, s)
	if got := "RDKit " + s.run.text("version"); got != Version {
		t.Errorf("Version = %s, want %s as in the program", Version, got)
	}
}

func TestLayout(t *testing.T) {
	layout, err := open(t, t.Context()).Layout(ethanol)
	if err != nil || !strings.Contains(layout, "V2000") || !strings.Contains(layout, "    1.2990    0.7500    0.0000 C") {
		t.Errorf("got %q, error %v, want a V2000 block with a carbon at 1.2990, 0.7500", layout, err)
	}
}

// TestDamagedMolecules checks that a damaged molecule fails with ErrUnreadable or is identified as another molecule, and
// does not affect others.
func TestDamagedMolecules(t *testing.T) {
	s := open(t, t.Context())
	for _, block := range []string{
		"", "bad", "\x00\xff\n\n\nM  END\n", "C1CC", "{\"molecules\":[{}]}",
		strings.Replace(ethanol, "  3  2", "  9  2", 1),
		strings.Replace(ethanol, "  2  3  1", "  2  7  1", 1),
		strings.Replace(ethanol, "  2  3  1", "  2  3  9", 1),
		strings.Replace(ethanol, "O   0", "Xx  0", 1),
		strings.Replace(strings.Replace(ethanol, "O   0", "F   0", 1), "  2  3  1", "  2  3  3", 1), // an invalid valence of fluorine
		strings.Repeat("C", 1<<12),
	} {
		if id, _, err := s.Identify(block); err == nil && id.SMILES == "CCO" || err != nil && !errors.Is(err, ErrUnreadable) {
			t.Errorf("%.20q: got %v, error %v, want ErrUnreadable or a molecule other than ethanol", block, id, err)
		}
		identified(t, s)
	}
}

// TestSlowMolecules checks that work on a slow molecule ends at the time limit, and when the context is done.
func TestSlowMolecules(t *testing.T) {
	s := open(t, t.Context())
	identified(t, s)
	s.limit = 100 * time.Millisecond
	if _, _, err := s.Identify(lattice(31)); !errors.Is(err, ErrSlow) {
		t.Errorf("got error %v, want ErrSlow", err)
	}
	s.limit = time.Minute
	identified(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := open(t, ctx)
	identified(t, stopped)
	cancel()
	if _, _, err := stopped.Identify(ethanol); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}

// TestLargeMolecules checks that molecules with long chains, which RDKit visits recursively, are identified, and that
// identifiers and descriptors beyond the limits of InChI and RDKit are absent instead of wrong.
func TestLargeMolecules(t *testing.T) {
	s := open(t, t.Context())
	for _, test := range []struct {
		atoms          int
		inchi, counted bool
	}{{300, true, true}, {400, true, false}, {900, true, false}, {1100, false, false}} {
		id, d, err := s.Identify(chain(test.atoms))
		if want := strings.Repeat("C", test.atoms); err != nil || id.SMILES != want {
			t.Errorf("a chain of %d atoms: got SMILES %q, error %v, want %q", test.atoms, id.SMILES, err, want)
		}
		if (id.InChI != "") != test.inchi || (id.InChIKey != "") != test.inchi || (d != nil) != test.counted {
			t.Errorf("a chain of %d atoms: got InChI %q and descriptors %v, want InChI = %t, descriptors = %t", test.atoms, id.InChI, d, test.inchi, test.counted)
		}
	}
	identified(t, s)
}

// TestDescriptors compares the descriptors of aspirin with those of RDKit 2022.09: Crippen.MolLogP, and CalcTPSA,
// CalcNumHBD, CalcNumHBA, CalcNumRotatableBonds and CalcNumRings of rdMolDescriptors.
func TestDescriptors(t *testing.T) {
	_, d, err := open(t, t.Context()).Identify("CC(=O)Oc1ccccc1C(=O)O")
	if err != nil || d == nil {
		t.Fatalf("got descriptors %v, error %v, want some", d, err)
	}
	d.LogP, d.TPSA = math.Round(d.LogP*1e4)/1e4, math.Round(d.TPSA*1e2)/1e2
	if want := (Descriptors{LogP: 1.3101, TPSA: 63.6, Donors: 1, Acceptors: 3, RotatableBonds: 2, Rings: 1}); *d != want {
		t.Errorf("got %+v, want %+v", *d, want)
	}
}

// TestStackOverflow checks that a molecule that would overflow the stack fails, and that the next one is identified.
func TestStackOverflow(t *testing.T) {
	s := open(t, t.Context())
	identified(t, s)
	s.run.instance.Bytes(s.run.end, 1)[0]++
	if _, _, err := s.Identify(ethanol); !errors.Is(err, ErrDeep) {
		t.Errorf("got error %v, want ErrDeep", err)
	}
	identified(t, s)
}

// TestMemory checks that a molecule above the memory limit is rejected.
func TestMemory(t *testing.T) {
	s := open(t, t.Context())
	s.memory = initial + 1<<16
	if _, _, err := s.Identify(strings.Repeat("C.", 1<<16) + "C"); !errors.Is(err, wasm.ErrMemory) {
		t.Errorf("got error %v, want ErrMemory", err)
	}
	identified(t, s)
}

// chain returns an unbranched alkane with n carbon atoms.
func chain(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "chain\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS %d %d 0 0 0\nM  V30 BEGIN ATOM\n", n, n-1)
	for i := range n {
		fmt.Fprintf(&b, "M  V30 %d C %d %d 0 0\n", i+1, i, i%2)
	}
	b.WriteString("M  V30 END ATOM\nM  V30 BEGIN BOND\n")
	for i := range n - 1 {
		fmt.Fprintf(&b, "M  V30 %d 1 %d %d\n", i+1, i+1, i+2)
	}
	b.WriteString("M  V30 END BOND\nM  V30 END CTAB\nM  END\n")
	return b.String()
}

// lattice returns a square lattice of silicon atoms, with side atoms per side. Finding its rings and symmetry takes a
// long time.
func lattice(side int) string {
	var b strings.Builder
	n, bonds := side*side, 2*side*(side-1)
	fmt.Fprintf(&b, "lattice\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS %d %d 0 0 0\nM  V30 BEGIN ATOM\n", n, bonds)
	for i := range n {
		fmt.Fprintf(&b, "M  V30 %d Si %d %d 0 0\n", i+1, i%side, i/side)
	}
	b.WriteString("M  V30 END ATOM\nM  V30 BEGIN BOND\n")
	bond := 0
	for i := range n {
		for _, next := range []struct {
			to     int
			inside bool
		}{{i + 1, i%side < side-1}, {i + side, i/side < side-1}} {
			if next.inside {
				bond++
				fmt.Fprintf(&b, "M  V30 %d 1 %d %d\n", bond, i+1, next.to+1)
			}
		}
	}
	b.WriteString("M  V30 END BOND\nM  V30 END CTAB\nM  END\n")
	return b.String()
}
