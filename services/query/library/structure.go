package library

import (
	"errors"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
)

// detailed returns a record with the properties that the analyzer has determined for a single record. Identifiers of a
// molecule that it has not determined are listed as such.
func (f *recordFile) detailed(r records.Record) records.Record {
	r = r.Detailed()
	if structure.Applies(f.overview.Format) {
		structure.NotIdentified(&r)
	}
	return r
}

// draw returns the drawing of a record, which the analyzer has stored for a molecule without coordinates. It returns
// records.ErrNotDrawn if there is nothing to draw.
func (f *recordFile) draw(r *records.Record) ([]byte, error) {
	kind, known := extract.FindRecordFormat(f.overview.Format)
	if !known || r.Failed() {
		return nil, records.ErrNotDrawn
	}
	svg, err := kind.Draw(r.Content)
	if errors.Is(err, records.ErrNotDrawn) && r.Detail != nil && r.Detail.Drawing != "" {
		return []byte(r.Detail.Drawing), nil
	}
	return svg, err
}
