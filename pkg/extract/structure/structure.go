// Package structure uses RDKit, an optional engine, to determine the identifiers of molecules and to compute
// coordinates for drawing molecules that have none.
package structure

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// The names of properties.
const (
	SMILES   = "smiles"
	InChI    = "inchi"
	InChIKey = "inchiKey"
	Engine   = "structureEngine" // program that determined the other properties
)

// Version is the value of the property Engine.
const Version = rdkit.Version + ", InChI 1.07.3"

// First is the number of records of a file whose identifiers are columns. Those of others are details.
const First = 100

// Kit identifies molecules, or does nothing if it is nil. It is safe for concurrent use.
type Kit struct {
	engine *rdkit.Engine
	slots  chan struct{} // contains a value for each open session
}

// New returns a Kit for up to parallel concurrent sessions, or nil if RDKit is disabled. The caller closes it.
func New(enabled bool, cfg wasm.Config, parallel int) *Kit {
	if !enabled {
		return nil
	}
	return &Kit{rdkit.New(cfg), make(chan struct{}, parallel)}
}

// Prepare waits until RDKit is compiled or ctx is done. It returns the errors of wasm.Engine.Prepare.
func (k *Kit) Prepare(ctx context.Context) error {
	if k == nil {
		return nil
	}
	return k.engine.Prepare(ctx)
}

// Close releases RDKit. All sessions must be closed first.
func (k *Kit) Close(ctx context.Context) error {
	if k == nil {
		return nil
	}
	return k.engine.Close(ctx)
}

// Session identifies the records of one file. It is not safe for concurrent use.
type Session struct {
	kit     *Kit
	session *rdkit.Session
}

// Open waits until the kit has capacity for another session, and returns it. ctx bounds all work of the session. The
// caller closes it. The error is that of ctx.
func (k *Kit) Open(ctx context.Context) (*Session, error) {
	if k == nil {
		return &Session{}, nil
	}
	select {
	case k.slots <- struct{}{}:
		return &Session{k, k.engine.Open(ctx)}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close ends the session.
func (s *Session) Close() error {
	if s.kit == nil {
		return nil
	}
	err := s.session.Close()
	<-s.kit.slots
	return err
}

// Applies reports whether records of a format are molecules.
func Applies(format string) bool { return format == "sdf" || format == "mol" }

// Identify sets the properties of a molecule that has none of them. It lists those that cannot be determined in
// NotDetermined; without a kit, these are all of them.
func (s *Session) Identify(r *records.Record) {
	if r.Failed() || r.Properties.Get(SMILES) != nil {
		return
	}
	if s.kit == nil {
		NotIdentified(r)
		return
	}
	id, err := s.session.Identify(r.Content)
	if err != nil {
		NotIdentified(r)
		if r.Properties.Get(molecule.Reason) == nil {
			r.Properties = append(r.Properties, records.Property{Name: molecule.Reason, Value: reason(err)})
		}
		return
	}
	r.NotDetermined = slices.DeleteFunc(r.NotDetermined, func(name string) bool { return name == SMILES || name == InChI })
	r.Properties = append(r.Properties, records.Property{Name: SMILES, Value: id.SMILES})
	if id.InChI == "" {
		r.NotDetermined = append(r.NotDetermined, InChI)
	} else {
		r.Properties = append(r.Properties, records.Property{Name: InChI, Value: id.InChI}, records.Property{Name: InChIKey, Value: id.InChIKey})
	}
	r.Properties = append(r.Properties, records.Property{Name: Engine, Value: Version})
}

// Describe sets the detail of a molecule: a drawing if the format cannot draw it, and its identifiers if it has none.
func (s *Session) Describe(kind records.Format, r *records.Record) {
	if s.kit == nil || r.Failed() {
		return
	}
	var d records.Detail
	if r.Properties.Get(SMILES) == nil {
		identified := records.Record{NotDetermined: slices.Clone(r.NotDetermined), Content: r.Content}
		s.Identify(&identified)
		d.Properties, d.NotDetermined = identified.Properties, identified.NotDetermined
	}
	if _, err := kind.Draw(r.Content); errors.Is(err, records.ErrNotDrawn) {
		if svg, err := s.Draw(kind, r.Content); err == nil {
			d.Drawing = string(svg)
		}
	}
	if len(d.Properties) > 0 || d.Drawing != "" {
		r.Detail = &d
	}
}

// NotIdentified lists the properties of a molecule in NotDetermined if it has none of them.
func NotIdentified(r *records.Record) {
	if r.Failed() || r.Properties.Get(SMILES) != nil || slices.Contains(r.NotDetermined, SMILES) {
		return
	}
	r.NotDetermined = append(r.NotDetermined, InChI, SMILES)
}

// reason returns the error text for the owner of the file.
func reason(err error) string {
	for _, known := range []error{rdkit.ErrUnreadable, rdkit.ErrSlow, wasm.ErrMemory, wasm.ErrCompiling, wasm.ErrNotCompiled} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "RDKit did not process the molecule in time"
}

// Draw returns a drawing of a molecule as SVG, with coordinates from RDKit, which the drawing credits. It returns
// records.ErrNotDrawn without a kit or if RDKit fails.
func (s *Session) Draw(kind records.Format, content string) ([]byte, error) {
	if s.kit == nil {
		return nil, records.ErrNotDrawn
	}
	laid, err := s.session.Layout(content)
	if err != nil {
		return nil, errors.Join(records.ErrNotDrawn, err)
	}
	svg, err := kind.Draw(laid)
	return bytes.Replace(svg, []byte(">\n"), []byte(">\n<desc>Coordinates by "+rdkit.Version+"</desc>\n"), 1), err
}
