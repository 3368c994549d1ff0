package svg

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// objects are the JavaScript values that an instance refers to, by handle. The program was built for a browser, and
// passes bytes, texts and lists as JavaScript values.
type objects struct {
	values []any
	free   []uint32
}

// Kinds of objects, in addition to string and error. Lists and iterators are pointers.
type (
	wholeMemory struct{}                  // the memory of the instance, or its buffer
	memoryPart  struct{ at, size uint32 } // a Uint8Array in it
	ownBytes    []byte                    // a Uint8Array with its own buffer
	list        struct{ values []any }    // an Array
	iterator    struct{ rest []any }      // over an Array
	nextResult  struct{ value any }       // result of iterator.next; the value is nil at the end
)

type objectsKey struct{}

func objectsOf(ctx context.Context) *objects { return ctx.Value(objectsKey{}).(*objects) }

// maxObjects is the maximum number of objects of an instance.
const maxObjects = 1 << 20

func (o *objects) add(v any) uint64 {
	if n := len(o.free); n > 0 {
		at := o.free[n-1]
		o.free, o.values[at] = o.free[:n-1], v
		return uint64(at)
	}
	if len(o.values) >= maxObjects {
		panic("too many objects")
	}
	if len(o.values) == 0 {
		o.values = append(o.values, nil) // 0 means none
	}
	o.values = append(o.values, v)
	return uint64(len(o.values) - 1)
}

func (o *objects) get(handle uint64) any {
	if at := uint32(handle); at > 0 && int(at) < len(o.values) {
		return o.values[at]
	}
	panic("unknown object")
}

func (o *objects) take(handle uint64) any {
	v := o.get(handle)
	o.values[uint32(handle)] = nil
	o.free = append(o.free, uint32(handle))
	return v
}

// bytes returns the bytes of an object that is an array of bytes.
func (o *objects) bytes(handle uint64, m api.Memory) []byte {
	switch v := o.get(handle).(type) {
	case ownBytes:
		return v
	case memoryPart:
		return part(m, v.at, v.size)
	case wholeMemory:
		return part(m, 0, m.Size())
	}
	panic("the object has no bytes")
}

func part(m api.Memory, at, size uint32) []byte {
	b, ok := m.Read(at, size)
	if !ok {
		panic("address outside the memory")
	}
	return b
}

type hostFunction = func(ctx context.Context, o *objects, m api.Module, stack []uint64)

// functions implement the program's imports, by name without the hash. Imports that share a name are listed with their
// hashes.
var functions = map[string]hostFunction{
	"__wbg_new_28c511d9baebfa89": func(_ context.Context, o *objects, m api.Module, s []uint64) {
		s[0] = o.add(errors.New(string(part(m.Memory(), uint32(s[0]), uint32(s[1])))))
	},
	"__wbg_new_63b92bc8671ed464": newBytes,
	"__wbg_new_16b304a2cfa7ff4a": func(_ context.Context, o *objects, _ api.Module, s []uint64) { s[0] = o.add(&list{}) },
	"__wbindgen_memory":          func(_ context.Context, o *objects, _ api.Module, s []uint64) { s[0] = o.add(wholeMemory{}) },
	"__wbg_buffer":               func(_ context.Context, o *objects, _ api.Module, s []uint64) { s[0] = o.add(o.get(s[0])) },
	"__wbg_newwithbyteoffsetandlength": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		s[0] = o.add(memoryPart{uint32(s[1]), uint32(s[2])})
	},
	"__wbindgen_object_drop_ref": func(_ context.Context, o *objects, _ api.Module, s []uint64) { o.take(s[0]) },
	"__wbg_values": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		s[0] = o.add(&iterator{o.get(s[0]).(*list).values})
	},
	"__wbg_next": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		it, next := o.get(s[0]).(*iterator), nextResult{}
		if len(it.rest) > 0 {
			next.value, it.rest = it.rest[0], it.rest[1:]
		}
		s[0] = o.add(next)
	},
	"__wbg_done": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		s[0] = boolean(o.get(s[0]).(nextResult).value == nil)
	},
	"__wbg_value": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		s[0] = o.add(o.get(s[0]).(nextResult).value)
	},
	"__wbg_instanceof_Uint8Array": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		switch o.get(s[0]).(type) {
		case ownBytes, memoryPart:
			s[0] = 1
		default:
			s[0] = 0
		}
	},
	"__wbindgen_string_get": getString,
	"__wbindgen_string_new": func(_ context.Context, o *objects, m api.Module, s []uint64) {
		s[0] = o.add(string(part(m.Memory(), uint32(s[0]), uint32(s[1]))))
	},
	"__wbg_push": func(_ context.Context, o *objects, _ api.Module, s []uint64) {
		l := o.get(s[0]).(*list)
		l.values = append(l.values, o.get(s[1]))
		s[0] = uint64(len(l.values))
	},
	"__wbg_length": func(_ context.Context, o *objects, m api.Module, s []uint64) {
		s[0] = uint64(len(o.bytes(s[0], m.Memory())))
	},
	"__wbg_set": func(_ context.Context, o *objects, m api.Module, s []uint64) {
		to, from := o.bytes(s[0], m.Memory()), o.bytes(s[1], m.Memory())
		if at := uint64(uint32(s[2])); at > uint64(len(to)) || copy(to[at:], from) < len(from) {
			panic("the bytes do not fit")
		}
	},
	"__wbindgen_throw": func(_ context.Context, _ *objects, m api.Module, s []uint64) {
		panic(fmt.Sprintf("thrown: %.200q", part(m.Memory(), uint32(s[0]), uint32(s[1]))))
	},
}

func boolean(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// newBytes creates a Uint8Array that shares the memory of the instance or is a copy of other bytes.
func newBytes(_ context.Context, o *objects, m api.Module, s []uint64) {
	if _, shared := o.get(s[0]).(wholeMemory); shared {
		s[0] = o.add(wholeMemory{})
		return
	}
	s[0] = o.add(ownBytes(append([]byte(nil), o.bytes(s[0], m.Memory())...)))
}

// getString writes a string into the memory, and its address and size to the given address.
func getString(ctx context.Context, o *objects, m api.Module, s []uint64) {
	result := uint32(s[0])
	text, isString := o.get(s[1]).(string)
	var at uint64
	if isString {
		got, err := m.ExportedFunction("__wbindgen_malloc").Call(ctx, uint64(len(text)), 1)
		if err != nil {
			panic(err)
		}
		at = got[0]
		copy(part(m.Memory(), uint32(at), uint32(len(text))), text)
	}
	binary.LittleEndian.PutUint32(part(m.Memory(), result, 4), uint32(at))
	binary.LittleEndian.PutUint32(part(m.Memory(), result+4, 4), uint32(len(text)))
}

// importObjects provides functions to the program.
func importObjects(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
	host := r.NewHostModuleBuilder("wbg")
	for _, f := range module.ImportedFunctions() {
		_, name, _ := f.Import()
		serve := functions[name]
		if at := strings.LastIndexByte(name, '_'); serve == nil {
			serve = functions[name[:at]]
		}
		if serve == nil {
			return fmt.Errorf("unknown import %s", name)
		}
		host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			serve(ctx, objectsOf(ctx), m, stack)
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := host.Instantiate(ctx)
	return err
}
