package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// stopGlobal is the name under which interruptible exports its flag.
const stopGlobal = "assay_stop"

var errCode = errors.New("the WebAssembly code cannot be read")

// Section ids of a module (WebAssembly 2.0, section 5.5.2).
const (
	sectionGlobal = 6
	sectionExport = 7
	sectionCode   = 10
)

// interruptible returns the module with a counter in every loop and in every function that calls others. When the
// counter reaches zero, the code calls into Go by growing its memory by zero pages, and traps if the exported
// global assay_stop is not 0.
//
// Compiled code cannot be preempted. When a garbage collection begins, every other goroutine of the process, including
// the one that would stop the code, waits until the code calls into Go. The runtime's own mechanism,
// WithCloseOnContextDone, calls into Go in every iteration of a loop, which makes PDFium several times slower.
//
// The module must have a memory, a global and an export section, and no exception handling.
func interruptible(module []byte) ([]byte, error) {
	if len(module) < 8 || string(module[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, errCode
	}
	out := append(make([]byte, 0, len(module)+len(module)/8), module[:8]...)
	r := &codeReader{data: module, at: 8}
	var imported, flag uint32
	seen := 0
	for r.at < len(r.data) && r.err == nil {
		id := r.byte()
		body := r.bytes(r.u32())
		var err error
		switch id {
		case 2:
			imported, err = importedGlobals(body)
		case sectionGlobal:
			seen++
			body, flag, err = appendGlobals(body, imported)
		case sectionExport:
			seen++
			body, err = appendExport(body, flag)
		case sectionCode:
			seen++
			body, err = checkFunctions(body, flag)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	if r.err == nil && seen != 3 {
		return nil, fmt.Errorf("%w: it has no global, export or code section", errCode)
	}
	return out, r.err
}

func importedGlobals(section []byte) (uint32, error) {
	r := &codeReader{data: section}
	var n uint32
	for range r.u32() {
		r.bytes(r.u32())
		r.bytes(r.u32())
		switch kind := r.byte(); kind {
		case 0: // function
			r.u32()
		case 1: // table
			r.byte()
			r.limits()
		case 2: // memory
			r.limits()
		case 3: // global
			r.skip(2)
			n++
		default:
			return 0, fmt.Errorf("%w: import of kind %d", errCode, kind)
		}
	}
	return n, r.err
}

// appendGlobals adds two mutable i32 globals, the flag followed by the counter, and returns
// the index of the flag.
func appendGlobals(section []byte, imported uint32) ([]byte, uint32, error) {
	r := &codeReader{data: section}
	n := r.u32()
	out := binary.AppendUvarint(nil, uint64(n)+2)
	out = append(out, section[r.at:]...)
	zero := []byte{0x7f, 1, 0x41, 0, 0x0b} // i32, mutable, i32.const 0, end
	return append(append(out, zero...), zero...), imported + n, r.err
}

func appendExport(section []byte, global uint32) ([]byte, error) {
	r := &codeReader{data: section}
	out := binary.AppendUvarint(nil, uint64(r.u32())+1)
	out = append(out, section[r.at:]...)
	out = binary.AppendUvarint(out, uint64(len(stopGlobal)))
	out = append(out, stopGlobal...)
	return binary.AppendUvarint(append(out, 3), uint64(global)), r.err
}

// checkFunctions inserts the check into the bodies of all functions.
func checkFunctions(section []byte, flag uint32) ([]byte, error) {
	check := countDown(flag)
	r := &codeReader{data: section}
	n := r.u32()
	out := binary.AppendUvarint(make([]byte, 0, len(section)+len(section)/8), uint64(n))
	var body []byte
	for range n {
		var err error
		body, err = checkFunction(body[:0], r.bytes(r.u32()), check)
		if err != nil {
			return nil, err
		}
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out, r.err
}

// countDown returns the check:
//
//	if counter == 0 { counter = 65536; grow the memory by 0; if flag != 0 { trap } }
//	counter--
func countDown(flag uint32) []byte {
	const get, set, constant = 0x23, 0x24, 0x41
	global := func(op byte, index uint32) []byte { return binary.AppendUvarint([]byte{op}, uint64(index)) }
	counter := flag + 1
	c := append(global(get, counter), 0x45, 0x04, 0x40)                        // i32.eqz if
	c = append(append(c, constant, 0x80, 0x80, 0x04), global(set, counter)...) // 65536
	c = append(append(c, constant, 0, 0x40, 0, 0x1a), global(get, flag)...)    // memory.grow drop
	c = append(c, 0x04, 0x40, 0x00, 0x0b, 0x0b)                                // if unreachable end end
	c = append(append(c, global(get, counter)...), constant, 1, 0x6b)          // i32.sub
	return append(c, global(set, counter)...)
}

func checkFunction(out, body, check []byte) ([]byte, error) {
	r := &codeReader{data: body}
	for range r.u32() { // locals
		r.u32()
		r.byte()
	}
	entry, kept := r.at, r.at
	var calls bool
	at := make([]int, 0, 16) // offsets at which checks are inserted
	for r.at < len(body) && r.err == nil {
		switch op := r.instruction(); op {
		case 0x03: // loop
			at = append(at, r.at)
		case 0x10, 0x11, 0x12, 0x13: // call, call_indirect
			calls = true
		}
	}
	out = append(out, body[:entry]...)
	if calls {
		out = append(out, check...)
	}
	for _, end := range at {
		out = append(append(out, body[kept:end]...), check...)
		kept = end
	}
	return append(out, body[kept:]...), r.err
}
