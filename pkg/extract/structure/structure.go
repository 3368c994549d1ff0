// Package structure uses RDKit, an optional engine, to determine the identifiers of molecules and to compute
// coordinates for drawing molecules that have none.
package structure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// The names of properties.
const (
	SMILES         = "smiles"   // canonical, with stereochemistry
	InChI          = "inchi"    // standard
	InChIKey       = "inchiKey" // hash of InChI, for comparisons
	LogP           = "crippenLogP"
	TPSA           = "tpsa" // in Å²
	Donors         = "hBondDonors"
	Acceptors      = "hBondAcceptors"
	RotatableBonds = "rotatableBonds"
	Rings          = "rings"           // of the smallest set of smallest rings
	Engine         = "structureEngine" // program that determined the other properties
)

// determined are the properties that a Kit determines, except Engine.
var determined = []string{SMILES, InChI, InChIKey, LogP, TPSA, Donors, Acceptors, RotatableBonds, Rings}

// Version is the value of the property Engine.
const Version = rdkit.Version + ", InChI 1.07.3"

// The causes of contexts that end because the molecules of a file take too long.
var (
	ErrTime     = errors.New("the time for the molecules of 1,000 records is used up")
	ErrRowsTime = errors.New("the time for the molecules of a table is used up")
)

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
func Applies(format string) bool {
	return format == "sdf" || format == "mol" || format == molecule.FormatSMILES
}

// Identify sets the properties of a molecule that has none of them. It lists those that cannot be determined in
// NotDetermined, and sets the reason; without a kit, these are all of them.
func (s *Session) Identify(r *records.Record) {
	if s.kit == nil {
		NotIdentified(r)
	}
	if r.Failed() || tried(r) {
		return
	}
	s.identify(r, r.Content)
}

// identify sets the properties of the molecule of a MOL block or a SMILES.
func (s *Session) identify(r *records.Record, structure string) {
	id, d, err := s.session.Identify(structure)
	if err != nil {
		missing(r, why(err), determined...)
		return
	}
	set := func(name string, value any) {
		r.Properties = append(r.Properties, records.Property{Name: name, Value: value})
	}
	set(SMILES, id.SMILES)
	if id.InChI == "" {
		missing(r, fmt.Sprintf("InChI determines no identifier, for example because the molecule has more than %d atoms or a query", rdkit.MaxAtoms), InChI, InChIKey)
	} else {
		set(InChI, id.InChI)
		set(InChIKey, id.InChIKey)
	}
	if d == nil {
		missing(r, fmt.Sprintf("RDKit counts at most %d atoms of a molecule, including hydrogens", rdkit.MaxCounted), LogP, TPSA, Donors, Acceptors, RotatableBonds, Rings)
	} else {
		set(LogP, round(d.LogP, 1e4))
		set(TPSA, round(d.TPSA, 1e2))
		set(Donors, int64(d.Donors))
		set(Acceptors, int64(d.Acceptors))
		set(RotatableBonds, int64(d.RotatableBonds))
		set(Rings, int64(d.Rings))
	}
	set(Engine, Version)
}

// IdentifySMILES sets the properties of the molecule of a SMILES, the composition included. They are not determined if
// RDKit cannot read it. Without a kit, IdentifySMILES does nothing.
func (s *Session) IdentifySMILES(r *records.Record, smiles string) {
	if s.kit == nil || r.Failed() || tried(r) {
		return
	}
	block, err := s.session.Block(smiles)
	if err == nil {
		compose(r, block)
	} else {
		r.NotDetermined = append(r.NotDetermined, composed...)
	}
	s.identify(r, smiles)
}

// composed are the properties that the composition of a molecule determines.
var composed = []string{molecule.Formula, molecule.Weight, molecule.ExactMass, molecule.Valid}

// compose sets the properties that the composition of a MOL block determines.
func compose(r *records.Record, block string) {
	m := molecule.ReadSDF([]byte(block))
	r.NotDetermined = slices.DeleteFunc(r.NotDetermined, func(name string) bool { return slices.Contains(composed, name) })
	r.Properties, r.NotDetermined = append(m.Properties, r.Properties...), append(m.NotDetermined, r.NotDetermined...)
}

func round(v, scale float64) float64 { return math.Round(v*scale) / scale }

// missing lists undetermined properties, and sets the reason unless the record has one.
func missing(r *records.Record, reason string, names ...string) {
	r.NotDetermined = append(r.NotDetermined, names...)
	if r.Properties.Get(molecule.Reason) == nil {
		r.Properties = append(r.Properties, records.Property{Name: molecule.Reason, Value: reason})
	}
}

// Describe identifies a molecule, and draws it if the format cannot. A SMILES that RDKit cannot read fails.
func (s *Session) Describe(kind records.Format, r *records.Record) {
	if s.kit == nil || r.Failed() {
		return
	}
	s.Identify(r)
	if unreadable := rdkit.ErrUnreadable.Error(); kind.Name == molecule.FormatSMILES && r.Properties.Get(molecule.Reason) == unreadable {
		*r = records.Record{Name: r.Name, Fields: r.Fields, Content: r.Content, Error: unreadable}
	}
	if _, err := kind.Draw(r.Content); r.Properties.Get(SMILES) == nil || !errors.Is(err, records.ErrNotDrawn) {
		return
	}
	block, err := s.session.Layout(r.Content)
	if err != nil {
		return
	}
	if kind.Name == molecule.FormatSMILES {
		compose(r, block)
	}
	if svg, err := credited(kind, block); err == nil {
		r.Detail = &records.Detail{Drawing: string(svg)}
	}
}

// NotIdentified lists the identifiers of a molecule in NotDetermined if it has none of them.
func NotIdentified(r *records.Record) {
	if !r.Failed() && !tried(r) {
		r.NotDetermined = append(r.NotDetermined, InChI, SMILES)
	}
}

// tried reports whether the SMILES of a record is determined, or known to be undetermined.
func tried(r *records.Record) bool {
	return r.Properties.Get(SMILES) != nil || slices.Contains(r.NotDetermined, SMILES)
}

// why returns the error text for the owner of the file. It names the limit that was reached.
func why(err error) string {
	if errors.Is(err, wasm.ErrMemory) {
		return fmt.Sprintf("RDKit needs more than %d MiB of memory for the molecule", rdkit.Memory>>20)
	}
	for _, known := range []error{rdkit.ErrDeep, rdkit.ErrSlow, ErrTime, ErrRowsTime, rdkit.ErrUnreadable, wasm.ErrCompiling, wasm.ErrNotCompiled} {
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
	block, err := s.session.Layout(content)
	if err != nil {
		return nil, errors.Join(records.ErrNotDrawn, err)
	}
	return credited(kind, block)
}

// credited returns the drawing of a MOL block with coordinates from RDKit.
func credited(kind records.Format, block string) ([]byte, error) {
	svg, err := kind.Draw(block)
	return bytes.Replace(svg, []byte(">\n"), []byte(">\n<desc>Coordinates by "+rdkit.Version+"</desc>\n"), 1), err
}
