package rdkit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

//go:embed rdkit.wasm.gz
var code []byte

// Errors of a molecule. They are permanent: the same block fails again.
var (
	ErrUnreadable = errors.New("RDKit cannot read the molecule")
	ErrSlow       = fmt.Errorf("RDKit needs more than %v for the molecule", Time)
)

// Version names the program in results.
const Version = "RDKit 2026.09.1"

// Limits of a molecule.
const (
	Memory = 128 << 20        // bytes
	Time   = 15 * time.Second // time limit of one call
)

// initial is the initial memory of RDKit.
const initial = 16 << 20

// Engine runs RDKit. It is safe for concurrent use.
type Engine struct{ engine *wasm.Engine }

// New returns an Engine, which compiles RDKit at the first call to Prepare or the first use of a
// Session. The caller must close it.
func New(cfg wasm.Config) *Engine {
	return &Engine{wasm.New(wasm.Program{
		Name: "RDKit", Code: code, Import: importHost, Start: []string{exportStackInit, exportConstructors},
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

// Identify returns the identity of a MOL block. It returns ErrUnreadable, ErrSlow and the errors
// of engines. After any of these errors, the session can be used for the next molecule.
func (s *Session) Identify(block string) (Identity, error) {
	var id Identity
	err := s.with(block, func(r *run, molecule uint64) {
		id.SMILES = r.text("Mol.get_smiles", molecule)
		if id.InChI = r.text("Mol.get_inchi", molecule); id.InChI != "" {
			at := r.string(id.InChI)
			id.InChIKey = r.text("get_inchikey_for_inchi", at)
			r.instance.Call(exportFree, at)
		}
	})
	return id, err
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
