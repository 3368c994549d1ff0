package structure

import (
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// Fingerprint returns the Morgan fingerprint (ECFP4, 2,048 bits) of the molecule of a record: that of its content if records of
// the format are molecules, otherwise that of its property SMILES or of a field with a SMILES. It returns nil without an error if there is no kit, or if
// the record has no molecule that RDKit can read. After an error, which is that of the session's context or of the engine,
// the record may succeed later.
func (s *Session) Fingerprint(kind records.Format, r *records.Record) (*fingerprint.Fingerprint, error) {
	if s.kit == nil || r.Failed() || slices.Contains(r.NotDetermined, SMILES) {
		return nil, nil
	}
	content := r.Content
	if !Applies(kind.Name) || content == "" {
		content = smilesOf(r)
	}
	if content == "" {
		return nil, nil
	}
	f, err := s.session.Fingerprint(content)
	for _, permanent := range []error{rdkit.ErrUnreadable, rdkit.ErrSlow, rdkit.ErrDeep, wasm.ErrMemory} {
		if errors.Is(err, permanent) {
			return nil, nil
		}
	}
	return f, err
}

// smilesOf returns the SMILES of a record, or "". A field takes the place of the property of the same name.
func smilesOf(r *records.Record) string {
	if smiles, ok := r.Properties.Get(SMILES).(string); ok {
		return smiles
	}
	for _, f := range r.Fields {
		if f.Value != "" && molecule.IsSMILES(f.Name) {
			return f.Value
		}
	}
	return ""
}
