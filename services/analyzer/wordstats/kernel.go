package wordstats

import (
	"encoding/binary"
	"math/bits"
)

// blockSize is how many bytes one mask stands for.
const blockSize = 64

// masks has a bit for each byte of a block, the lowest for the first.
type masks struct {
	word  uint64 // ASCII letters, digits and '_'
	other uint64 // above the space and no word byte; of bytes beyond ASCII undefined
	alien uint64 // not ASCII, or DEL
}

// kernel is a way to do what classify, places and countShort do.
type kernel struct {
	name       string
	classify   func(data []byte, filled []masks) int
	places     func(changes []uint64, base int, filled *edges) int
	countShort func(t *shortTable, b *buffer, edges []uint16, finds *finds) int
}

// portable is the kernel that every processor runs.
func portable() kernel { return kernel{"portable", classify, places, countShort} }

// fastestKernel is the fastest kernel that this processor runs.
func fastestKernel() kernel { return kernels()[0] }

// edges are places in the buffer where words begin and end, in turn. It has room for
// those of a chunk and as many more, which are overwritten.
type edges [2 * chunkSize]uint16

// Kernel names the kernel that this process scans ASCII with. The build tag purego
// leaves only the portable one in.
func Kernel() string { return fastestKernel().name }

const (
	each01 = 0x0101010101010101
	each80 = 0x8080808080808080
	each7F = 0x7F7F7F7F7F7F7F7F
)

// classify fills the masks of the blocks that data begins with, up to and with
// the first that has an alien byte, and returns how many it filled. It looks at
// eight bytes at once (SWAR): with the upper bit of each byte cleared, adding
// 0x80-c sets that bit where the byte is c or more, and no sum runs over.
func classify(data []byte, filled []masks) int {
	for i := range filled {
		block := data[i*blockSize:][:blockSize]
		m := &filled[i]
		var word, other, alien uint64
		for j := 0; j < blockSize; j += 8 {
			b := binary.LittleEndian.Uint64(block[j : j+8])
			x := b & each7F
			folded := x | 0x20*each01
			letter := (folded + (0x80-'a')*each01) ^ (folded + (0x80-'z'-1)*each01)
			digit := (x + (0x80-'0')*each01) ^ (x + (0x80-'9'-1)*each01)
			line := folded + (0x80-lowLine)*each01 // of DEL too, which is alien
			w := letter | digit | line
			o := x + (0x80-' '-1)*each01
			alien |= b | (x + each01)
			word = word>>8 | gather(w)
			other = other>>8 | gather(o&^w)
		}
		m.word, m.other, m.alien = word, other, 0
		if alien&each80 != 0 {
			m.alien = aliens(block)
			return i + 1
		}
	}
	return len(filled)
}

// gather moves the upper bits of the eight bytes of x together, into the uppermost
// byte. Each bit of the factor moves one of them there, and no two sums of places are
// the same, so that nothing carries.
func gather(x uint64) uint64 {
	return (x & each80) * 0x0002040810204081 &^ (1<<56 - 1)
}

// aliens returns the mask of bytes that are not ASCII, or DEL.
func aliens(block []byte) uint64 {
	var mask uint64
	for j := 0; j < blockSize; j += 8 {
		b := binary.LittleEndian.Uint64(block[j:])
		mask = mask>>8 | gather(b|((b&each7F)+each01))
	}
	return mask
}

// places fills in where the bits of changes are set, the first of which stands for
// the byte at base, and returns how many they are.
func places(changes []uint64, base int, filled *edges) int {
	n := 0
	for _, change := range changes {
		// Four at a time, also when fewer are left: what is too many is overwritten.
		place := n
		n += bits.OnesCount64(change)
		for ; change != 0; place += 4 {
			four := (*[4]uint16)(filled[place:])
			four[0] = uint16(base + lowest(change))
			change &= change - 1
			four[1] = uint16(base + lowest(change))
			change &= change - 1
			four[2] = uint16(base + lowest(change))
			change &= change - 1
			four[3] = uint16(base + lowest(change))
			change &= change - 1
		}
		base += blockSize
	}
	return n
}

// isASCII reports whether the first 32 bytes of data are ASCII without DEL.
func isASCII(data []byte) bool {
	_ = data[31]
	var all uint64
	for j := 0; j < 32; j += 8 {
		b := binary.LittleEndian.Uint64(data[j:])
		all |= b | ((b & each7F) + each01)
	}
	return all&each80 == 0
}

// lowest returns the number of the lowest bit of a mask that is not 0.
func lowest(mask uint64) int { return bits.TrailingZeros64(mask) }
