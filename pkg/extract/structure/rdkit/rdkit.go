package rdkit

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/emscripten"
)

//go:embed rdkit.wasm.br
var program []byte

func code() ([]byte, error) { return packed.Brotli(program, nil) }

// Errors of a molecule. They are permanent: the same block fails again.
var (
	ErrUnreadable = errors.New("RDKit cannot read the molecule")
	ErrSlow       = fmt.Errorf("RDKit needs more than %v for the molecule", Time)
	ErrDeep       = fmt.Errorf("RDKit needs more than %d MiB of stack for the molecule", stackSize>>20)
)

// Version names the program in results.
const Version = "RDKit 2026.09.1"

// Limits of a molecule.
const (
	Memory = 128 << 20        // bytes
	Time   = 15 * time.Second // time limit of one call
	// MaxAtoms is the number of atoms above which InChI 1.07 does not determine a standard InChI.
	MaxAtoms = 1023
	// MaxCounted is the number of atoms, including implicit hydrogens, up to which RDKit computes descriptors. It counts
	// at most 1,000 matches of a pattern, so that the descriptors of larger molecules would be wrong.
	MaxCounted = 1000
)

const (
	initial = 20 << 20 // bytes of memory at start, including the stack
	// stackSize is the size of the stack in bytes. A chain of atoms needs up to 200 bytes an atom.
	stackSize  = 4 << 20
	stackGuard = 1 << 10 // bytes at the end of the stack that show whether it has overflowed
)

// guard is the content of the end of the stack.
var guard = [stackGuard]byte{}

func init() {
	for i := range guard {
		guard[i] = 0xa5
	}
}

// Engine runs RDKit. It is safe for concurrent use.
type Engine struct{ engine *wasm.Engine }

// New returns an Engine, which compiles RDKit at the first call to Prepare or the first use of a
// Session. The caller must close it.
func New(cfg wasm.Config) *Engine {
	return &Engine{wasm.New(wasm.Program{
		Name: "RDKit", Code: code, Import: emscripten.Import("RDKit", host), Start: []string{exportStackInit, exportConstructors},
	}, cfg)}
}

// Prepare compiles RDKit and waits until the compilation or ctx is done.
func (e *Engine) Prepare(ctx context.Context) error { return e.engine.Prepare(ctx) }

// Close releases RDKit. All sessions must be closed.
func (e *Engine) Close(ctx context.Context) error { return e.engine.Close(ctx) }

// Session processes the molecules of one file. It is not safe for concurrent use.
type Session struct {
	engine *Engine
	ctx    context.Context
	limit  time.Duration
	memory int64
	run    *run // nil before the first molecule and after an error
}

// Open returns a Session. ctx bounds all of its work. The caller must close it.
func (e *Engine) Open(ctx context.Context) *Session {
	return &Session{engine: e, ctx: ctx, limit: Time, memory: Memory}
}

// Close ends the session.
func (s *Session) Close() error {
	if s.run == nil {
		return nil
	}
	r := s.run
	s.run = nil
	r.stop(wasm.ErrClosed)
	return r.instance.Close()
}

// Identity contains the identifiers of a molecule.
type Identity struct {
	SMILES   string // canonical, with stereochemistry
	InChI    string // standard; "" if there is none, for example for a query
	InChIKey string // "" if there is no InChI
}

// Descriptors are estimates and counts that RDKit computes from the bonds of a molecule, with implicit hydrogens.
type Descriptors struct {
	LogP           float64 `json:"CrippenClogP"`      // octanol-water partition coefficient, by Wildman and Crippen (doi:10.1021/ci990307l)
	TPSA           float64 `json:"tpsa"`              // topological polar surface area in Å², by Ertl (doi:10.1021/jm000942e)
	Donors         float64 `json:"NumHBD"`            // hydrogen-bond donors
	Acceptors      float64 `json:"NumHBA"`            // hydrogen-bond acceptors
	RotatableBonds float64 `json:"NumRotatableBonds"` // in RDKit's strict definition, without amide bonds
	Rings          float64 `json:"NumRings"`          // of the smallest set of smallest rings
}

// Identify returns the identity and the descriptors of a MOL block or a SMILES. d is nil if the molecule has more than
// MaxCounted atoms. Identify returns ErrUnreadable, ErrSlow, ErrDeep and the errors of engines. After any of these
// errors, the session can be used for the next molecule.
func (s *Session) Identify(block string) (id Identity, d *Descriptors, err error) {
	err = s.with(block, func(r *run, molecule uint64) {
		id.SMILES = r.text("Mol.get_smiles", molecule)
		if id.InChI = r.text("Mol.get_inchi", molecule); id.InChI != "" {
			at := r.string(id.InChI)
			id.InChIKey = r.text("get_inchikey_for_inchi", at)
			r.instance.Call(exportFree, at)
		}
		d = r.descriptors(molecule)
	})
	return id, d, err
}

// descriptors returns the descriptors of a molecule, or nil if it has more than MaxCounted atoms.
func (r *run) descriptors(molecule uint64) *Descriptors {
	if r.call("Mol.get_num_atoms", molecule) > MaxCounted { // only the atoms in the block; their number is known at once
		return nil
	}
	text := r.text("Mol.get_descriptors", molecule)
	if r.instance.Err() != nil {
		return nil
	}
	d := struct {
		Descriptors
		NumAtoms float64
	}{}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		r.instance.Fail(fmt.Errorf("%w: its descriptors are not JSON: %w", ErrUnreadable, err))
	}
	if d.NumAtoms > MaxCounted {
		return nil
	}
	return &d.Descriptors
}

// Layout returns a MOL block with two-dimensional coordinates for the molecule of a MOL block. It returns the same
// errors as Identify.
func (s *Session) Layout(block string) (string, error) {
	var layout string
	err := s.with(block, func(r *run, molecule uint64) { layout = r.text("Mol.get_new_coords", molecule) })
	if err == nil && layout == "" {
		err = ErrUnreadable
	}
	return layout, err
}

// Block returns a MOL block for a SMILES. It returns the same errors as Identify.
func (s *Session) Block(smiles string) (block string, err error) {
	err = s.with(smiles, func(r *run, molecule uint64) { block = r.text("Mol.get_molblock", molecule) })
	if err == nil && block == "" {
		err = ErrUnreadable
	}
	return block, err
}

// options are the options of get_mol: explicit hydrogens in the block become implicit.
const options = `{"removeHs":true}`

// with calls f with a molecule. An error ends the instance, because RDKit throws exceptions for molecules that it
// rejects, and has no code to catch them.
func (s *Session) with(block string, f func(r *run, molecule uint64)) (err error) {
	if s.run == nil {
		if s.run, err = s.engine.start(s.ctx, s.memory); err != nil {
			return err
		}
	}
	r := s.run
	limit := time.AfterFunc(s.limit, func() { r.stop(ErrSlow) })
	defer func() {
		if r.overflowed() {
			r.instance.Fail(ErrDeep)
		}
		inTime, ended := limit.Stop(), r.instance.Err()
		if errors.Is(ended, wasm.ErrCrashed) { // for other damaged blocks, get_mol returns zero
			ended = fmt.Errorf("%w: %w", ErrUnreadable, ended)
		}
		if ended != nil || !inTime {
			err = errors.Join(ended, s.Close())
		}
	}()
	at, details := r.string(block), r.string(options)
	molecule := r.call("get_mol", at, details)
	r.instance.Call(exportFree, at)
	r.instance.Call(exportFree, details)
	if molecule == 0 {
		reason := ErrUnreadable
		if r.instance.OutOfMemory() {
			reason = wasm.ErrMemory
		}
		r.instance.Fail(reason)
		return nil
	}
	f(r, molecule)
	r.destroy(molecule)
	return nil
}
