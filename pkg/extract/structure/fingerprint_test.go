package structure_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
)

// TestFingerprint checks that the same molecule has the same fingerprint as a MOL block and as a SMILES of a table, and which
// records have none.
func TestFingerprint(t *testing.T) {
	s, table := session(t, kit), records.Format{Name: "csv"}
	block, err := s.Fingerprint(sdf(t), &records.Record{Content: ethanol})
	if err != nil || block == nil || block.Count() != 6 {
		t.Fatalf("a MOL block: got %v, error %v, want 6 bits", block, err)
	}
	row := records.Record{Properties: records.Properties{{Name: structure.SMILES, Value: "CCO"}}, Content: "1,2"}
	if f, err := s.Fingerprint(table, &row); err != nil || f == nil || *f != *block {
		t.Errorf("a row: got %v, error %v, want that of the MOL block", f, err)
	}
	for name, r := range map[string]records.Record{
		"failed":         {Content: ethanol, Error: "bad"},
		"empty":          {},
		"unreadable":     {Content: "bad"},
		"not determined": {Content: ethanol, NotDetermined: []string{structure.SMILES}},
	} {
		if f, err := s.Fingerprint(sdf(t), &r); f != nil || err != nil {
			t.Errorf("%s: got %v, error %v, want none", name, f, err)
		}
	}
	if f, err := s.Fingerprint(table, &records.Record{Content: ethanol}); f != nil || err != nil {
		t.Errorf("a row without SMILES: got %v, error %v, want none", f, err)
	}
	none := session(t, nil)
	if f, err := none.Fingerprint(sdf(t), &records.Record{Content: ethanol}); f != nil || err != nil {
		t.Errorf("without a kit: got %v, error %v, want none", f, err)
	}
}

// TestFingerprintEnds checks that a context that is done is an error, not a molecule without a fingerprint.
func TestFingerprintEnds(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	s, err := kit.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	cancel(stopped)
	smiles := records.Format{Name: molecule.FormatSMILES}
	if f, err := s.Fingerprint(smiles, &records.Record{Content: "CCO"}); f != nil || !errors.Is(err, stopped) {
		t.Errorf("got %v, error %v, want the cause of the context", f, err)
	}
}
