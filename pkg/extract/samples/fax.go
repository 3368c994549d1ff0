package samples

import (
	"errors"
	"strings"
)

// fax decodes the compressions of ITU-T T.4 and T.6. A row is a list of the positions at which its color changes, from
// white to black first.
type fax struct {
	data       []byte
	at         int // bit
	width      int
	white      map[faxCode]int
	black      map[faxCode]int
	reference  []int // the row above
	lines      bool  // with codes at the ends of lines, perhaps
	always2D   bool  // T.6
	tagged     bool  // a bit behind the end of a line tells whether the next one refers to the line above
	alignedRow bool
}

// faxCode is a code word with its length.
type faxCode struct{ bits, length int }

var (
	errFaxCode = errors.New("invalid code in a fax")
	errFaxEnd  = errors.New("end of the fax")
)

const (
	faxWhite = "00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 " +
		"0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010 " +
		"00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 00101101 " +
		"00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000 01011001 01011010 " +
		"01011011 01001010 01001011 00110010 00110011 00110100 " +
		"11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 " +
		"011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011 "
	faxBlack = "0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 0000010111 " +
		"0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 00000011000 000011001010 " +
		"000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 000011010010 000011010011 " +
		"000011010100 000011010101 000011010110 000011010111 000001101100 000001101101 000011011010 000011011011 000001010100 " +
		"000001010101 000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 " +
		"000000111000 000000100111 000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 " +
		"0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 " +
		"0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110 " +
		"0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 0000001100100 0000001100101 "
	faxLong = "00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 " +
		"000000011100 000000011101 000000011110 000000011111"
	faxModes = "0001 001 1 011 000011 0000011 010 000010 0000010" // pass, horizontal, vertical 0, 1, 2, 3, −1, −2, −3
)

// faxTable returns the runs, or modes, of code words. The words are those of 0 to 63 and of multiples of 64.
func faxTable(words string) map[faxCode]int {
	table := map[faxCode]int{}
	for i, word := range strings.Fields(words) {
		c := faxCode{length: len(word)}
		for _, bit := range word {
			c.bits = c.bits<<1 | int(bit-'0')
		}
		if i > 63 {
			i = (i - 63) * 64
		}
		table[c] = i
	}
	return table
}

// unfax returns rows of bits, in which black is 1, and the rows before an error.
func (f *fax) unfax(rows int) ([]byte, error) {
	f.white, f.black = faxTable(faxWhite+faxLong), faxTable(faxBlack+faxLong)
	modes := faxTable(faxModes)
	stride := (f.width + 7) / 8
	out := make([]byte, 0, stride*rows)
	for range rows {
		changes, err := f.row(modes)
		if errors.Is(err, errFaxEnd) {
			break
		}
		if err != nil {
			return out, err
		}
		line := make([]byte, stride)
		for i := 0; i < len(changes); i += 2 {
			end := f.width
			if i+1 < len(changes) {
				end = changes[i+1]
			}
			for x := changes[i]; x < end; x++ {
				line[x/8] |= 0x80 >> (x % 8)
			}
		}
		out, f.reference = append(out, line...), changes
	}
	return out, nil
}

func (f *fax) row(modes map[faxCode]int) ([]int, error) {
	if f.alignedRow {
		f.at = (f.at + 7) / 8 * 8
	}
	ends := 0
	twoDimensional := f.always2D
	for f.lines && f.endOfLine() {
		ends++
		if f.tagged {
			twoDimensional = f.bit() == 0
		}
	}
	if f.at >= 8*len(f.data) || ends > 1 && (f.always2D || len(f.reference) > 0 || ends > 2) {
		return nil, errFaxEnd
	}
	if twoDimensional {
		return f.relative(modes)
	}
	var changes []int
	for x, color := 0, 0; x < f.width; color ^= 1 {
		run, err := f.run(color)
		if err != nil {
			return nil, err
		}
		if x += run; x < f.width {
			changes = append(changes, x)
		}
	}
	return changes, nil
}

// relative reads a row that refers to the row above.
func (f *fax) relative(modes map[faxCode]int) ([]int, error) {
	var changes []int
	flip := func(x int) {
		if x < f.width {
			changes = append(changes, x)
		}
	}
	for x, color := -1, 0; x < f.width; {
		b := 0 // index of the next change above to the other color
		for b < len(f.reference) && (f.reference[b] <= x || b%2 != color) {
			b++
		}
		mode, err := f.code(modes)
		if err != nil {
			return nil, err
		}
		switch mode {
		case 0:
			x = f.above(b + 1)
		case 1:
			x = max(x, 0)
			for range 2 {
				run, err := f.run(color)
				if err != nil {
					return nil, err
				}
				x += run
				flip(x)
				color ^= 1
			}
		default:
			next := f.above(b) + [...]int{0, 1, 2, 3, -1, -2, -3}[mode-2]
			if next < max(x, 0) {
				return nil, errFaxCode
			}
			x = next
			flip(x)
			color ^= 1
		}
	}
	return changes, nil
}

// above returns a change of the row above, or the end of the row.
func (f *fax) above(i int) int {
	if i < len(f.reference) {
		return f.reference[i]
	}
	return f.width
}

// run reads the length of a run: multiples of 64, then the rest.
func (f *fax) run(color int) (total int, err error) {
	table := f.white
	if color == 1 {
		table = f.black
	}
	for {
		n, err := f.code(table)
		if err != nil {
			return 0, err
		}
		if total += n; n < 64 {
			return total, nil
		}
		if total > f.width {
			return 0, errFaxCode
		}
	}
}

// code reads a code word.
func (f *fax) code(table map[faxCode]int) (int, error) {
	const longest = 13
	var c faxCode
	start := f.at
	for c.length < longest && f.at < 8*len(f.data) {
		c.bits, c.length = c.bits<<1|f.bit(), c.length+1
		if value, ok := table[c]; ok {
			return value, nil
		}
	}
	f.at = start
	return 0, errFaxCode
}

// bit reads a bit; behind the end, it is 0.
func (f *fax) bit() int {
	at := f.at
	f.at++
	if at >= 8*len(f.data) {
		return 0
	}
	return int(f.data[at/8] >> (7 - at%8) & 1)
}

// endOfLine reads a code of at least 11 zeros and a one, if it follows.
func (f *fax) endOfLine() bool {
	start, zeros := f.at, 0
	for f.at < 8*len(f.data) {
		if f.bit() == 0 {
			zeros++
			continue
		}
		if zeros >= 11 {
			return true
		}
		break
	}
	f.at = start
	return false
}
