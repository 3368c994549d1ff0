package rdkit

import (
	"context"
	"errors"
	"fmt"
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
	id, err := s.Identify(ethanol)
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
		if id, err := s.Identify(block); err == nil && id.SMILES == "CCO" || err != nil && !errors.Is(err, ErrUnreadable) {
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
	if _, err := s.Identify(lattice(31)); !errors.Is(err, ErrSlow) {
		t.Errorf("got error %v, want ErrSlow", err)
	}
	s.limit = time.Minute
	identified(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := open(t, ctx)
	identified(t, stopped)
	cancel()
	if _, err := stopped.Identify(ethanol); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}

// TestMemory checks that a molecule above the memory limit is rejected.
func TestMemory(t *testing.T) {
	s := open(t, t.Context())
	s.memory = initial + 1<<16
	if _, err := s.Identify(strings.Repeat("C.", 1<<16) + "C"); !errors.Is(err, wasm.ErrMemory) {
		t.Errorf("got error %v, want ErrMemory", err)
	}
	identified(t, s)
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
