package structure_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var kit *structure.Kit

func TestMain(m *testing.M) {
	open := func(cfg wasm.Config) *structure.Kit { return structure.New(true, cfg, 1) }
	os.Exit(wasmtest.MainRDKit(m, open, func(k *structure.Kit) { kit = k }))
}

const ethanol = "ethanol\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n" +
	"    0.0000    0.0000    0.0000 C   0  0\n    0.0000    0.0000    0.0000 C   0  0\n    0.0000    0.0000    0.0000 O   0  0\n" +
	"  1  2  1  0\n  2  3  1  0\nM  END\n"

func sdf(t *testing.T) records.Format {
	t.Helper()
	kind, known := extract.FindRecordFormat("sdf")
	if !known {
		t.Fatal("Find(sdf): got no format, want one")
	}
	return kind
}

// session opens a session, which is closed at the end of the test.
func session(t *testing.T, k *structure.Kit) *structure.Session {
	t.Helper()
	s, err := k.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestIdentify checks that an identified molecule names the engine, and that undetermined properties are listed with
// the reason.
func TestIdentify(t *testing.T) {
	s := session(t, kit)
	for _, c := range []struct {
		name, block string
		want        map[string]any
		missing     []string
	}{
		// InChI and InChIKey are those of ethanol in PubChem, CID 702.
		{"ethanol", ethanol, map[string]any{
			structure.SMILES: "CCO", structure.InChI: "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", structure.InChIKey: "LFQSCWFLJHTTHZ-UHFFFAOYSA-N",
			structure.Engine: "RDKit 2026.09.1, InChI 1.07.3", "formula": "C2H6O",
			// Crippen.MolLogP and rdMolDescriptors of RDKit 2022.09.
			structure.LogP: -0.0014, structure.TPSA: 20.23, structure.Donors: int64(1), structure.Acceptors: int64(1),
			structure.RotatableBonds: int64(0), structure.Rings: int64(0),
		}, nil},
		{"too many bonds", strings.Replace(strings.Replace(ethanol, "O   0", "F   0", 1), "  2  3  1", "  2  3  3", 1),
			map[string]any{structure.SMILES: nil, structure.Engine: nil, "reason": "RDKit cannot read the molecule"},
			[]string{"smiles", "inchi", "inchiKey", "crippenLogP", "tpsa", "hBondDonors", "hBondAcceptors", "rotatableBonds", "rings"}},
	} {
		r := sdf(t).Read([]byte(c.block))
		s.Identify(&r)
		s.Identify(&r) // does nothing
		for name, want := range c.want {
			if got := r.Properties.Get(name); got != want {
				t.Errorf("%s: got %s %v, want %v", c.name, name, got, want)
			}
		}
		if !slices.Equal(r.NotDetermined, c.missing) {
			t.Errorf("%s: got undetermined properties %q, want %q", c.name, r.NotDetermined, c.missing)
		}
	}
	damaged := records.Record{Error: "line 4", Content: ethanol}
	if s.Identify(&damaged); len(damaged.Properties)+len(damaged.NotDetermined) > 0 {
		t.Errorf("a failed record: got %+v, want it unchanged", damaged)
	}
}

// TestSMILES checks that a line of a SMILES file has the properties and a drawing of the molecule, that a row of a table
// has the properties, and that a line that RDKit cannot read fails.
func TestSMILES(t *testing.T) {
	s := session(t, kit)
	smi, _ := extract.FindRecordFormat("smi")
	line := smi.Read([]byte("OC(=O)C[15NH3+].[Cl-] glycine hydrochloride\n"))
	row := records.Record{Fields: records.Fields{{Name: "smiles", Value: line.Content}}}
	s.Describe(smi, &line)
	s.IdentifySMILES(&row, row.Fields[0].Value)
	for name, r := range map[string]records.Record{"line": line, "row": row} {
		// CalcMolFormula and ExactMolWt of RDKit 2022.09, and its MolToSmiles.
		for property, want := range map[string]any{
			"formula": "C2H6ClNO2", "charge": int64(0), "exactMass": 112.005741, structure.SMILES: "[15NH3+]CC(=O)O.[Cl-]", structure.Donors: int64(2),
		} {
			if got := r.Properties.Get(property); got != want {
				t.Errorf("%s: got %s %v, want %v", name, property, got, want)
			}
		}
		if len(r.NotDetermined) > 0 {
			t.Errorf("%s: got undetermined properties %q, want none", name, r.NotDetermined)
		}
	}
	if line.Name != "glycine hydrochloride" || line.Detail == nil || !strings.Contains(line.Detail.Drawing, ">15<") {
		t.Errorf("got %+v, want the name and a drawing with the isotope", line)
	}
	bad := smi.Read([]byte("C1CC unclosed\n"))
	if s.Describe(smi, &bad); bad.Error != "RDKit cannot read the molecule" || bad.Name != "unclosed" || len(bad.Properties) > 0 {
		t.Errorf("an unclosed ring: got %+v, want a failed record", bad)
	}
	other := records.Record{}
	if s.IdentifySMILES(&other, "C1CC"); other.Failed() || len(other.NotDetermined) != 13 {
		t.Errorf("a row with an unclosed ring: got %+v, want 13 undetermined properties", other)
	}
}

// TestWithoutRDKit checks that no identifiers are determined, and that no molecule without coordinates is drawn.
func TestWithoutRDKit(t *testing.T) {
	off := structure.New(false, wasm.Config{}, 1)
	s := session(t, off)
	r := sdf(t).Read([]byte(ethanol))
	before := slices.Clone(r.Properties)
	if s.Identify(&r); !slices.Equal(r.NotDetermined, []string{"inchi", "smiles"}) || !reflect.DeepEqual(r.Properties, before) {
		t.Errorf("got %+v, want unchanged properties, and inchi and smiles undetermined", r)
	}
	if _, err := s.Draw(sdf(t), ethanol); !errors.Is(err, records.ErrNotDrawn) {
		t.Errorf("got error %v, want ErrNotDrawn", err)
	}
	if err := errors.Join(off.Prepare(t.Context()), off.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

// TestNotCompiled checks that a molecule is not identified, with the reason, if RDKit cannot be compiled.
func TestNotCompiled(t *testing.T) {
	broken := structure.New(true, wasm.Config{Cache: os.DevNull}, 1) // not a folder
	if err := broken.Prepare(t.Context()); !errors.Is(err, wasm.ErrNotCompiled) {
		t.Errorf("got error %v, want ErrNotCompiled", err)
	}
	r := sdf(t).Read([]byte(ethanol))
	if session(t, broken).Identify(&r); r.Properties.Get("reason") != "the engine cannot be compiled" {
		t.Errorf("got properties %+v, want the reason", r.Properties)
	}
	if err := broken.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDraw checks that a molecule without coordinates is drawn with coordinates from RDKit, which the drawing credits.
func TestDraw(t *testing.T) {
	if _, err := sdf(t).Draw(ethanol); !errors.Is(err, records.ErrNotDrawn) {
		t.Errorf("a molecule without coordinates: got error %v, want ErrNotDrawn", err)
	}
	s := session(t, kit)
	svg, err := s.Draw(sdf(t), ethanol)
	if err != nil || !strings.HasPrefix(string(svg), "<svg ") || !strings.Contains(string(svg), "<desc>Coordinates by RDKit 2026.09.1</desc>") || !strings.Contains(string(svg), ">O<") {
		t.Errorf("got %s, error %v, want an SVG with the oxygen that credits RDKit", svg, err)
	}
	if svg, err := s.Draw(sdf(t), "bad"); !errors.Is(err, records.ErrNotDrawn) {
		t.Errorf("a damaged molecule: got %s, error %v, want ErrNotDrawn", svg, err)
	}
}

// TestOneAtATime checks that waiting for a session ends when its context is canceled.
func TestOneAtATime(t *testing.T) {
	first, err := kit.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kit.Open(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	session(t, kit)
}
