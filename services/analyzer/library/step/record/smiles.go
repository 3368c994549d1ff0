package record

import (
	"context"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
)

// identifyingRows bounds the time for identifying the molecules of the rows of a table.
const identifyingRows = time.Minute

// smiles identifies the molecules of rows that have a column of SMILES. The caller must close it.
type smiles struct {
	kit     *structure.Kit
	session *structure.Session // nil before the first SMILES
	end     context.CancelFunc
}

// identify sets the properties of the molecule of a row, except those with the name of a field, so that exports of them
// can be imported and exported again. It returns the errors of prepared and of Kit.Open.
func (s *smiles) identify(ctx context.Context, r *records.Record) error {
	if s.kit == nil {
		return nil
	}
	for _, f := range r.Fields {
		if f.Value == "" || !molecule.IsSMILES(f.Name) {
			continue
		}
		if s.session == nil {
			if err := prepared(ctx, s.kit); err != nil {
				return err
			}
			ctx, end := context.WithTimeoutCause(ctx, identifyingRows, structure.ErrRowsTime)
			session, err := s.kit.Open(ctx)
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

func (s *smiles) close() error {
	if s.session == nil {
		return nil
	}
	defer s.end()
	return s.session.Close()
}
