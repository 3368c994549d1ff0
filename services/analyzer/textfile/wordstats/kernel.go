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
		var word, visible, alien uint64
		for j := blockSize - 8; j >= 0; j -= 8 {
			b := binary.LittleEndian.Uint64(block[j : j+8])
			x := b & each7F
			folded := x | 0x20*each01
			letter := (folded + (0x80-'a')*each01) ^ (folded + (0x80-'z'-1)*each01)
			digit := (x + (0x80-'0')*each01) ^ (x + (0x80-'9'-1)*each01)
			line := folded + (0x80-lowLine)*each01 // of DEL too, which is alien
			alien |= b | (x + each01)
			word = word<<8 | gather(letter|digit|line)
			visible = visible<<8 | gather(x+(0x80-' '-1)*each01)
		}
		m.word, m.other, m.alien = word, visible&^word, 0
		if alien&each80 != 0 {
			m.alien = aliens(block)
			return i + 1
		}
	}
	return len(filled)
}

// gather returns the upper bits of the eight bytes of x as a byte. Each bit of the
// factor moves one of them into the uppermost byte, and no two sums of places are the
// same, so that nothing carries.
func gather(x uint64) uint64 {
	return (x & each80) * 0x0002040810204081 >> 56
}

// aliens returns the mask of bytes that are not ASCII, or DEL.
func aliens(block []byte) uint64 {
	var mask uint64
	for j := blockSize - 8; j >= 0; j -= 8 {
		b := binary.LittleEndian.Uint64(block[j:])
		mask = mask<<8 | gather(b|((b&each7F)+each01))
	}
	return mask
}

// places fills in where the bits of changes are set, the first of which stands for
// the byte at base, and returns how many they are. It looks up eight bits at once, and
// writes eight places for them: what is too many is overwritten.
func places(changes []uint64, base int, filled *edges) int {
	n, table := 0, placesOfByte
	bases := uint64(base) * each0001
	for _, change := range changes {
		for range blockSize / 8 {
			of := &table[uint8(change)]
			eight := (*[8]uint16)(filled[n&(chunkSize-1):]) // never beyond: it saves the bounds checks
			low, high := of.low+bases, of.high+bases
			eight[0] = uint16(low)
			eight[1] = uint16(low >> 16)
			eight[2] = uint16(low >> 32)
			eight[3] = uint16(low >> 48)
			eight[4] = uint16(high)
			eight[5] = uint16(high >> 16)
			eight[6] = uint16(high >> 32)
			eight[7] = uint16(high >> 48)
			n += of.count
			change >>= 8
			bases += 8 * each0001
		}
	}
	return n
}

const each0001 = 0x0001000100010001

// placesOfByte has the numbers of the bits that are set in a byte, from the lowest,
// four in each integer.
var placesOfByte = newPlacesOfByte()

type bytePlaces struct {
	low, high uint64
	count     int
}

func newPlacesOfByte() *[256]bytePlaces {
	var all [256]bytePlaces
	for b := range all {
		of := &all[b]
		for bit := range uint64(8) {
			switch {
			case b>>bit&1 == 0:
				continue
			case of.count < 4:
				of.low |= bit << (16 * of.count)
			default:
				of.high |= bit << (16 * (of.count - 4))
			}
			of.count++
		}
	}
	return &all
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
