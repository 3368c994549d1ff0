package simd

import "encoding/binary"

const (
	each01 = 0x0101010101010101
	each7F = 0x7F7F7F7F7F7F7F7F
	// High has the highest bit of each of eight bytes set.
	High = 0x8080808080808080
	// Small has the bits that convert eight ASCII letters to lower case.
	Small = 0x20 * each01
	// lowLine is '_' with the bits of Small set.
	lowLine = '_' | 0x20
)

// classify stores the masks of the first blocks of data, up to and including the first block with an
// alien byte, and returns their number. It processes eight bytes at a time (SWAR): with the upper bit
// of each byte cleared, adding 0x80-c sets that bit if the byte is c or more, and no sum carries into
// the next byte.
func classify(data []byte, filled []Masks) int {
	for i := range filled {
		block := data[i*BlockSize:][:BlockSize]
		m := &filled[i]
		var word, visible, alien uint64
		for j := BlockSize - 8; j >= 0; j -= 8 {
			b := binary.LittleEndian.Uint64(block[j : j+8])
			x := b & each7F
			folded := x | Small
			letter := (folded + (0x80-'a')*each01) ^ (folded + (0x80-'z'-1)*each01)
			digit := (x + (0x80-'0')*each01) ^ (x + (0x80-'9'-1)*each01)
			line := folded + (0x80-lowLine)*each01 // also set for DEL, which is alien
			alien |= b | (x + each01)
			word = word<<8 | gather(letter|digit|line)
			visible = visible<<8 | gather(x+(0x80-' '-1)*each01)
		}
		m.Word, m.Other, m.Alien = word, visible&^word, 0
		if alien&High != 0 {
			m.Alien = aliens(block)
			return i + 1
		}
	}
	return len(filled)
}

// gather returns the highest bits of the eight bytes of x as a byte. Each bit of the factor moves one
// of them to the highest byte; no two sums of positions are equal, so nothing carries.
func gather(x uint64) uint64 {
	return (x & High) * 0x0002040810204081 >> 56
}

// aliens returns the mask of bytes that are DEL or not ASCII.
func aliens(block []byte) uint64 {
	var mask uint64
	for j := BlockSize - 8; j >= 0; j -= 8 {
		b := binary.LittleEndian.Uint64(block[j:])
		mask = mask<<8 | gather(b|((b&each7F)+each01))
	}
	return mask
}

// places stores the positions of the set bits in changes and returns their number. base is the
// position of the first bit. It looks up eight bits at a time and writes eight positions for them;
// the next positions overwrite the excess.
func places(changes []uint64, base int, filled *Edges) int {
	n, table := 0, placesOfByte
	bases := uint64(base) * each0001
	for _, change := range changes {
		for range BlockSize / 8 {
			p := &table[uint8(change)]
			eight := (*[8]uint16)(filled[n&(ChunkSize-1):]) // the mask removes the bounds check and changes no index
			low, high := p.low+bases, p.high+bases
			eight[0] = uint16(low)
			eight[1] = uint16(low >> 16)
			eight[2] = uint16(low >> 32)
			eight[3] = uint16(low >> 48)
			eight[4] = uint16(high)
			eight[5] = uint16(high >> 16)
			eight[6] = uint16(high >> 32)
			eight[7] = uint16(high >> 48)
			n += p.count
			change >>= 8
			bases += 8 * each0001
		}
	}
	return n
}

const each0001 = 0x0001000100010001

// placesOfByte contains the indexes of the set bits of each byte, lowest first, four in each
// integer.
var placesOfByte = newPlacesOfByte()

type bytePlaces struct {
	low, high uint64
	count     int
}

func newPlacesOfByte() *[256]bytePlaces {
	var all [256]bytePlaces
	for b := range all {
		p := &all[b]
		for bit := range uint64(8) {
			switch {
			case b>>bit&1 == 0:
				continue
			case p.count < 4:
				p.low |= bit << (16 * p.count)
			default:
				p.high |= bit << (16 * (p.count - 4))
			}
			p.count++
		}
	}
	return &all
}

// IsASCII reports whether the first 32 bytes of data are all ASCII other than DEL.
func IsASCII(data []byte) bool {
	_ = data[31]
	var all uint64
	for j := 0; j < 32; j += 8 {
		b := binary.LittleEndian.Uint64(data[j:])
		all |= b | ((b & each7F) + each01)
	}
	return all&High == 0
}

// LowBytes contains masks for the first n of eight bytes, indexed by n. From 8 on they cover all
// eight.
var LowBytes = [16]uint64{
	0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
	1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1,
}

func countShort(t *Table, b *Buffer, edges []uint16, finds *Finds) int {
	keys, counts := t.Keys, t.Counts
	if len(counts) != len(keys) || len(keys) == 0 {
		return 0 // unreachable: lets the compiler drop bounds checks in the loop
	}
	mask, seed, missed := uint64(len(keys)-1), t.Seed, 0
	for i := 0; i < len(edges)-1; i += 2 {
		start := edges[i]
		length := uint64(edges[i+1] - start)
		key := (binary.LittleEndian.Uint64(b[start:][:8]) | Small) & LowBytes[length&15]
		at := Hash(seed, key) & mask
		miss := NotZero((keys[at] ^ key) | (length-1)>>3)
		counts[at] += uint32(1 - miss)
		finds.Missed[missed&(ChunkSize-1)] = uint16(i)
		missed += int(miss)
	}
	return missed
}

// NotZero returns 0 for 0 and 1 for any other number.
func NotZero(x uint64) uint64 { return (x | -x) >> 63 }
