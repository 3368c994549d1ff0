package library

import (
	"errors"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
)

// TestDetails checks that a single record has the properties and the drawing in its detail, and that the identifiers of a
// molecule without one are not determined. Other formats have no identifiers.
func TestDetails(t *testing.T) {
	molecules, other := &recordFile{overview: records.Overview{Format: "sdf"}}, &recordFile{overview: records.Overview{Format: "cif"}}
	detail := &records.Detail{Properties: records.Properties{{Name: structure.SMILES, Value: "CCO"}}, Drawing: "<svg/>"}
	plain := records.Record{NotDetermined: []string{structure.InChI, structure.SMILES}, Content: "flat"}
	described := plain
	described.Detail = detail
	if r := molecules.detailed(described); r.Properties.Get(structure.SMILES) != "CCO" || len(r.NotDetermined) > 0 {
		t.Errorf("got %+v, want the SMILES", r)
	}
	if r := molecules.detailed(records.Record{}); !slices.Equal(r.NotDetermined, []string{structure.InChI, structure.SMILES}) {
		t.Errorf("got %v, want inchi and smiles undetermined", r.NotDetermined)
	}
	if r := other.detailed(records.Record{}); len(r.NotDetermined) > 0 {
		t.Errorf("got %v not determined, want none", r.NotDetermined)
	}
	if svg, err := molecules.draw(&described); err != nil || string(svg) != detail.Drawing {
		t.Errorf("got drawing %q, %v; want that of the detail", svg, err)
	}
	if _, err := molecules.draw(&plain); !errors.Is(err, records.ErrNotDrawn) {
		t.Errorf("got %v, want ErrNotDrawn", err)
	}
}
