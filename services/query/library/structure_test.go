package library

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// molecules is a file of molecules without coordinates.
var molecules = &recordFile{overview: records.Overview{Format: "sdf"}}

// kitArea returns an area with RDKit, which cannot be compiled.
func kitArea(t *testing.T, parallel int) *Area {
	t.Helper()
	kit := structure.New(true, wasm.Config{Cache: os.DevNull}, parallel) // not a folder
	t.Cleanup(func() {
		if err := kit.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &Area{kit: kit}
}

// TestRDKitNotCompiled checks that a failed compilation is an error of the server, not a property of the molecule.
func TestRDKitNotCompiled(t *testing.T) {
	a, r := kitArea(t, 1), &records.Record{}
	if err := a.identify(t.Context(), molecules, r); !errors.Is(err, wasm.ErrNotCompiled) || len(r.NotDetermined) > 0 {
		t.Errorf("identify: got %+v, error %v, want an unchanged record and ErrNotCompiled", r, err)
	}
	if _, err := a.draw(t.Context(), molecules, r); !errors.Is(err, wasm.ErrNotCompiled) || errors.Is(err, records.ErrNotDrawn) {
		t.Errorf("draw: got error %v, want ErrNotCompiled", err)
	}
}

// TestRDKitBusy checks that a molecule is not identified or drawn if RDKit does not become available in time.
func TestRDKitBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, r := kitArea(t, 0), &records.Record{}
		if err := a.identify(t.Context(), molecules, r); err != nil || !slices.Equal(r.NotDetermined, []string{structure.InChI, structure.SMILES}) {
			t.Errorf("identify: got %+v, error %v, want inchi and smiles undetermined", r, err)
		}
		if _, err := a.draw(t.Context(), molecules, r); !errors.Is(err, records.ErrNotDrawn) {
			t.Errorf("draw: got error %v, want ErrNotDrawn", err)
		}
	})
}
