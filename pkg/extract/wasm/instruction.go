package wasm

import (
	"encoding/binary"
	"fmt"
)

// codeReader reads the binary format of WebAssembly. After the first error, all reads return
// zero.
type codeReader struct {
	data []byte
	at   int
	err  error
}

func (r *codeReader) fail(reason string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at %d", errCode, reason, r.at)
	}
	r.at = len(r.data)
}

func (r *codeReader) byte() byte {
	if r.at >= len(r.data) {
		r.fail("unexpected end")
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *codeReader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.data)-r.at) {
		r.fail("unexpected end")
		return nil
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at]
}

func (r *codeReader) skip(n uint32) { r.bytes(n) }

func (r *codeReader) u32() uint32 {
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 || v > 1<<32-1 {
		r.fail("malformed number")
		return 0
	}
	r.at += n
	return uint32(v)
}

// leb skips a LEB128 number of any size, signed or unsigned.
func (r *codeReader) leb() {
	for r.byte() >= 0x80 && r.err == nil {
	}
}

func (r *codeReader) limits() {
	flags := r.byte()
	r.leb()
	if flags&1 != 0 {
		r.leb()
	}
}

// instruction skips one instruction with its immediates and returns its opcode, or its
// prefix if it has one (WebAssembly 2.0, section 5.4).
func (r *codeReader) instruction() byte {
	op := r.byte()
	switch {
	case op == 0x02 || op == 0x03 || op == 0x04: // block, loop, if
		r.leb()
	case op == 0x0c || op == 0x0d || op == 0x10 || op == 0x12: // br, br_if, call, return_call
		r.leb()
	case op == 0x0e: // br_table
		for range uint64(r.u32()) + 1 {
			r.leb()
			if r.err != nil {
				break
			}
		}
	case op == 0x11 || op == 0x13: // call_indirect, return_call_indirect
		r.leb()
		r.leb()
	case op == 0x1c: // select with types
		r.skip(r.u32())
	case op >= 0x20 && op <= 0x26: // local, global, table
		r.leb()
	case op >= 0x28 && op <= 0x3e: // load, store
		r.leb()
		r.leb()
	case op == 0x3f || op == 0x40 || op == 0x41 || op == 0x42: // memory.size, memory.grow, constants
		r.leb()
	case op == 0x43:
		r.skip(4)
	case op == 0x44:
		r.skip(8)
	case op == 0xd0 || op == 0xd2: // ref.null, ref.func
		r.leb()
	case op == 0xfc:
		r.bulk()
	case op == 0xfd:
		r.vector()
	case op <= 0x01 || op == 0x05 || op == 0x0b || op == 0x0f || op == 0x1a || op == 0x1b || op >= 0x45 && op <= 0xc4 || op == 0xd1:
	default:
		r.fail(fmt.Sprintf("unknown instruction %#x", op))
	}
	return op
}

func (r *codeReader) bulk() {
	switch op := r.u32(); op {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
	case 9, 11, 13, 15, 16, 17: // data.drop, memory.fill, elem.drop, table.grow, size, fill
		r.leb()
	case 8, 10, 12, 14: // memory.init, memory.copy, table.init, table.copy
		r.leb()
		r.leb()
	default:
		r.fail(fmt.Sprintf("unknown instruction 0xfc %d", op))
	}
}

func (r *codeReader) vector() {
	switch op := r.u32(); {
	case op <= 11 || op == 92 || op == 93: // loads and stores
		r.leb()
		r.leb()
	case op == 12 || op == 13: // v128.const, i8x16.shuffle
		r.skip(16)
	case op >= 21 && op <= 34: // lanes
		r.skip(1)
	case op >= 84 && op <= 91: // loads and stores of lanes
		r.leb()
		r.leb()
		r.skip(1)
	case op > 275: // relaxed instructions and later
		r.fail(fmt.Sprintf("unknown instruction 0xfd %d", op))
	}
}
