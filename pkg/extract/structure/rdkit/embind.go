package rdkit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// RDKit exports only a few functions. It registers the others at start, as Emscripten's embind does for JavaScript: by
// name, with an invoker in its table and a value that is the invoker's first argument. A string is passed as the
// address of its length, which is followed by its bytes.

// function is a registered function.
type function struct {
	invoker         uint32 // index in the table
	params, results []api.ValueType
	context         uint32 // first argument of the invoker
}

// registry contains the functions and types that an instance has registered.
type registry struct {
	functions map[string]function // by name and number of arguments, such as "get_mol/1" or "Mol.get_smiles/1"
	classes   map[uint32]string   // names by type
	molecule  function            // the destructor of a Mol
}

type registryKey struct{}

func registryOf(ctx context.Context) *registry { return ctx.Value(registryKey{}).(*registry) }

func (r *registry) add(m api.Memory, class string, name uint64, arguments uint32, signature, invoker, first uint64) {
	n, _, _ := strings.Cut(text(m, name), "(")
	f := newFunction(m, signature, invoker, first)
	r.functions[fmt.Sprintf("%s%s/%d", class, n, arguments)] = f
}

// newFunction returns a function with the signature at an address, which has one letter for the result and one for
// each parameter.
func newFunction(m api.Memory, signature, invoker, first uint64) function {
	f := function{invoker: uint32(invoker), context: uint32(first)}
	for i, letter := range []byte(text(m, signature)) {
		if i == 0 && letter == 'v' {
			continue
		}
		kind, known := map[byte]api.ValueType{'i': api.ValueTypeI32, 'p': api.ValueTypeI32, 'j': api.ValueTypeI64, 'f': api.ValueTypeF32, 'd': api.ValueTypeF64}[letter]
		switch {
		case !known:
			panic(fmt.Sprintf("unknown type %q in a signature", letter))
		case i == 0:
			f.results = append(f.results, kind)
		default:
			f.params = append(f.params, kind)
		}
	}
	return f
}

// registerFunction implements _embind_register_function.
func registerFunction(ctx context.Context, m api.Memory, s []uint64) {
	registryOf(ctx).add(m, "", s[0], uint32(s[1])-1, s[3], s[4], s[5]) // the first type is that of the result
}

// registerMethod implements _embind_register_class_function.
func registerMethod(ctx context.Context, m api.Memory, s []uint64) {
	r := registryOf(ctx)
	r.add(m, r.classes[uint32(s[0])]+".", s[1], uint32(s[2])-1, s[4], s[5], s[6])
}

// registerClass implements _embind_register_class.
func registerClass(ctx context.Context, m api.Memory, s []uint64) {
	r, name := registryOf(ctx), text(m, s[10])
	r.classes[uint32(s[0])] = name
	if name == "Mol" {
		r.molecule = newFunction(m, s[11], s[12], 0)
	}
}

// text returns the zero-terminated text at an address.
func text(m api.Memory, at uint64) string {
	var b []byte
	for i := uint32(at); ; i++ {
		c, ok := m.ReadByte(i)
		if !ok || len(b) > 1<<10 {
			panic("a name is not terminated")
		}
		if c == 0 {
			return string(b)
		}
		b = append(b, c)
	}
}

// run is an instance with its registry.
type run struct {
	instance *wasm.Instance
	registry *registry
	stop     context.CancelCauseFunc
	end      uint64 // lowest address of the stack, which grows towards it
}

func (e *Engine) start(ctx context.Context, memory int64) (*run, error) {
	r := &registry{functions: map[string]function{}, classes: map[uint32]string{}}
	ctx, stop := context.WithCancelCause(context.WithValue(ctx, registryKey{}, r))
	instance, err := e.engine.Start(ctx, wasm.Limits{Memory: memory, First: min(initial, memory)})
	if err != nil {
		stop(err)
		return nil, err
	}
	out := &run{instance: instance, registry: r, stop: stop}
	out.moveStack()
	return out, nil
}

// moveStack replaces the stack of 64 KiB that the program reserves below its heap. RDKit and InChI visit the atoms of a
// molecule recursively, so that a chain of 900 atoms would overflow it, in part over the program's static data.
func (r *run) moveStack() {
	r.end = r.instance.Call(exportMalloc, stackSize)
	copy(r.instance.Bytes(r.end, stackGuard), guard[:])
	r.instance.Call(exportStackRestore, r.end+stackSize)
}

// overflowed reports whether the stack has reached its end.
func (r *run) overflowed() bool {
	last := r.instance.Bytes(r.end, stackGuard)
	return last != nil && !bytes.Equal(last, guard[:])
}

// call calls a registered function with addresses as arguments; the first argument of a method is
// its object. It returns 0 if the instance has ended.
func (r *run) call(name string, args ...uint64) uint64 {
	key := fmt.Sprintf("%s/%d", name, len(args))
	f, known := r.registry.functions[key]
	if !known {
		r.instance.Fail(fmt.Errorf("RDKit has no function %s", key))
		return 0
	}
	return r.instance.CallEntry(f.invoker, f.params, f.results, append([]uint64{uint64(f.context)}, args...)...)
}

// text calls a registered function that returns a string.
func (r *run) text(name string, args ...uint64) string {
	at := r.call(name, args...)
	size := r.instance.Bytes(at, 4)
	if size == nil {
		return ""
	}
	s := string(r.instance.Bytes(at+4, uint64(binary.LittleEndian.Uint32(size))))
	r.instance.Call(exportFree, at)
	return s
}

// string returns the address of a copy of s in the instance. The caller must free it.
func (r *run) string(s string) uint64 {
	at := r.instance.Call(exportMalloc, 4+uint64(len(s))+1)
	b := r.instance.Bytes(at, 4+uint64(len(s))+1)
	if b == nil {
		return 0
	}
	binary.LittleEndian.PutUint32(b, uint32(len(s)))
	b[4+copy(b[4:], s)] = 0
	return at
}

// destroy deletes a molecule.
func (r *run) destroy(molecule uint64) {
	f := r.registry.molecule
	r.instance.CallEntry(f.invoker, f.params, f.results, molecule)
}
