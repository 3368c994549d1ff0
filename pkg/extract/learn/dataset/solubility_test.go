package dataset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/domain"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// read returns the molecules of an SDF file, as RDKit identifies them.
func read(t *testing.T, name string) *file {
	t.Helper()
	kind, _ := extract.FindRecordFormat("sdf")
	kit := structure.New(true, wasmtest.Compiled(t), 1)
	s, err := kit.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(source.Close(), s.Close(), kit.Close(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	f, scanner := &file{}, records.NewScanner(source, kind.Boundary(), true)
	for {
		raw, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return f
		}
		if err != nil {
			t.Fatal(err)
		}
		r := kind.Read(raw.Bytes)
		r.Index = raw.Index
		s.Identify(&r)
		fingerprint, err := s.Fingerprint(kind, &r)
		if err != nil {
			t.Fatal(err)
		}
		f.records, f.fingerprints = append(f.records, r), append(f.fingerprints, fingerprint)
	}
}

// TestSolubility makes the examples of solubility.train.sdf, in the folder Docs/Book/data of RDKit.
func TestSolubility(t *testing.T) {
	folder := os.Getenv("ASSAY_SOLUBILITY")
	if folder == "" {
		t.Skip("ASSAY_SOLUBILITY, the folder of solubility.train.sdf, is not set")
	}
	f := read(t, filepath.Join(folder, "solubility.train.sdf"))
	set, err := f.build(t, "SOL", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bits, %q, %+v", len(set.Features.Bits), set.Features.Names()[:len(set.Features.Columns)], set.Report)
	if set.Report.Rows != 1025 || set.Target.Task != learn.Regression || len(set.Features.Bits) < 100 || set.Report.Groups >= 1025 || set.Report.Groups < 1000 {
		t.Errorf("got %+v, want 1025 rows and a few duplicates", set.Report)
	}
	for name, reason := range map[string]Reason{"ID": Identifier, "SOL_classification": Text, "smiles": Text, "NAME": Text} {
		if !slices.ContainsFunc(set.Report.Columns, func(e Excluded) bool { return e.Name == name && e.Reason == reason }) {
			t.Errorf("%s: want %s, got %+v", name, reason, set.Report.Columns)
		}
	}
	d, err := domain.OfMolecules(t.Context(), set.Fingerprints, 1)
	if err != nil {
		t.Fatal(err)
	}
	other, inside := read(t, filepath.Join(folder, "solubility.test.sdf")), 0
	for _, f := range other.fingerprints {
		if d.Inside(d.Nearest(nil, f)) {
			inside++
		}
	}
	t.Logf("similarity inside the domain: %g, %d of %d inside", d.Threshold(), inside, len(other.records))
	if share := float64(inside) / float64(len(other.records)); share < 0.85 {
		t.Errorf("got %d of %d molecules of the test file inside the domain, want about 95 %%", inside, len(other.records))
	}
	if _, err := f.build(t, "SOL_classification", Limits{}); err == nil || !strings.Contains(err.Error(), "SOL") {
		t.Errorf("three texts: got error %v, want one that names SOL", err)
	}
}
