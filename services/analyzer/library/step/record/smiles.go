package record

import (
	"context"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
)

// identifyingRows bounds the time for identifying the molecules of the rows of a table.
const identifyingRows = time.Minute

// Molecules identifies the molecules of rows that have a column of SMILES. The caller must close it.
type Molecules struct {
	Kit     *structure.Kit     // nil identifies nothing
	session *structure.Session // nil before the first SMILES
	end     context.CancelFunc
}

// Identify sets the properties of the molecule of a row, except those with the name of a field, so that exports of them
// can be imported and exported again. It returns the errors of Prepared and of Kit.Open.
func (s *Molecules) Identify(ctx context.Context, r *records.Record) error {
	if s.Kit == nil {
		return nil
	}
	for _, f := range r.Fields {
		if f.Value == "" || !molecule.IsSMILES(f.Name) {
			continue
		}
		if s.session == nil {
			if err := Prepared(ctx, s.Kit); err != nil {
				return err
			}
			ctx, end := context.WithTimeoutCause(ctx, identifyingRows, structure.ErrRowsTime)
			session, err := s.Kit.Open(ctx)
			if err != nil {
				end()
				return err
			}
			s.session, s.end = session, end
		}
		s.session.IdentifySMILES(r, f.Value)
		isField := func(name string) bool {
			return slices.ContainsFunc(r.Fields, func(f records.Field) bool { return f.Name == name })
		}
		r.Properties = slices.DeleteFunc(r.Properties, func(p records.Property) bool { return isField(p.Name) })
		r.NotDetermined = slices.DeleteFunc(r.NotDetermined, isField)
		return nil
	}
	return nil
}

// Fingerprint returns the fingerprint of the molecule of a row that Identify has identified, or nil if it has none.
func (s *Molecules) Fingerprint(r *records.Record) (*fingerprint.Fingerprint, error) {
	if s.session == nil {
		return nil, nil
	}
	return s.session.Fingerprint(records.Format{}, r)
}

// Close ends the identification.
func (s *Molecules) Close() error {
	if s.session == nil {
		return nil
	}
	defer s.end()
	return s.session.Close()
}
