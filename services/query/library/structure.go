package library

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

const (
	// parallelMolecules limits the requests that use RDKit concurrently. Others wait.
	parallelMolecules = 2
	// moleculeTime limits the time for which a request waits for RDKit and uses it.
	moleculeTime = 10 * time.Second
	closeTime    = time.Second
)

// identify computes the identifiers of a molecule if they were not computed when its file was processed. It leaves other
// records unchanged.
func (a *Area) identify(ctx context.Context, f *recordFile, r *records.Record) error {
	if !structure.Applies(f.overview.Format) || r.Failed() || r.Properties.Get(structure.SMILES) != nil {
		return nil
	}
	return a.withKit(ctx, func(s *structure.Session) { s.Identify(r) }, func() { structure.NotIdentified(r) })
}

// draw draws a record. RDKit computes coordinates for a molecule that has none. It returns records.ErrNotDrawn if there
// is nothing to draw.
func (a *Area) draw(ctx context.Context, f *recordFile, r *records.Record) (svg []byte, err error) {
	kind, known := extract.FindRecordFormat(f.overview.Format)
	if !known || r.Failed() {
		return nil, records.ErrNotDrawn
	}
	if svg, err = kind.Draw(r.Content); !errors.Is(err, records.ErrNotDrawn) || !structure.Applies(kind.Name) {
		return svg, err
	}
	if failed := a.withKit(ctx, func(s *structure.Session) { svg, err = s.Draw(kind, r.Content) }, func() {}); failed != nil {
		return nil, failed
	}
	return svg, err
}

// withKit calls do with an RDKit session, or late if no session becomes available in time. It returns an error if RDKit
// cannot be compiled. If the compilation does not end in time, do fails for the molecule.
func (a *Area) withKit(ctx context.Context, do func(*structure.Session), late func()) (err error) {
	ctx, cancel := context.WithTimeout(ctx, moleculeTime)
	defer cancel()
	s, err := a.kit.Open(ctx)
	if err != nil {
		late()
		return nil
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := a.kit.Prepare(ctx); err != nil && !errors.Is(err, wasm.ErrCompiling) {
		return err
	}
	do(s)
	return nil
}
