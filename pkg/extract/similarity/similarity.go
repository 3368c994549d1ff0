// Package similarity finds texts that are nearly the same: copies with another headline, signature or a few other words.
//
// A Sketch is a MinHash of a text (A. Broder: On the resemblance and containment of documents, 1997), of fixed size. Two
// sketches estimate the resemblance of their texts, which is the share of common shingles: sequences of 5 characters,
// regardless of case, punctuation and spacing. To find candidates among many texts, store each under its Bands and compare
// only texts that share one (J. Leskovec, A. Rajaraman, J. Ullman: Mining of Massive Datasets, 3.4).
package similarity

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	minima    = 16 // in a sketch
	bandRows  = 4  // minima in a band
	bands     = minima / bandRows
	shingle   = 5    // characters
	minLength = 40   // characters; shorter texts have too few shingles to be compared
	maxLength = 2000 // characters; the rest of a text is ignored
)

// Nearly is the resemblance from which texts count as nearly the same. An estimate is a multiple of 1/16.
const Nearly = 0.75

// Sketch represents a text.
type Sketch [minima]uint32

// Of returns the sketch of a text. ok is false if the text is shorter than 40 letters, digits and single spaces.
func Of(text string) (sketch Sketch, ok bool) {
	characters := normalized(text)
	if len(characters) < minLength {
		return Sketch{}, false
	}
	for i := range sketch {
		sketch[i] = math.MaxUint32
	}
	for start := range len(characters) - shingle + 1 {
		var h uint64
		for _, c := range characters[start : start+shingle] {
			h = mix(h ^ uint64(c))
		}
		for i := range sketch {
			sketch[i] = min(sketch[i], uint32(mix(h+uint64(i)*golden)>>32))
		}
	}
	return sketch, true
}

// normalized returns the lower-case letters, marks and digits of a text, with a space between words.
func normalized(text string) []rune {
	characters := make([]rune, 0, min(len(text), maxLength))
	space := false
	for _, c := range norm.NFKC.String(text[:min(len(text), 4*maxLength)]) {
		if !unicode.In(c, unicode.L, unicode.M, unicode.N) {
			space = len(characters) > 0
			continue
		}
		if space {
			characters, space = append(characters, ' '), false
		}
		if characters = append(characters, unicode.ToLower(c)); len(characters) >= maxLength {
			break
		}
	}
	return characters
}

// golden is the increment of SplitMix64, and mix its output function (G. Steele, D. Lea, C. Flood: Fast splittable
// pseudorandom number generators, 2014).
const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z += golden
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Resemblance estimates the share of the shingles of two texts that both contain, from 0 to 1.
func (s Sketch) Resemblance(other Sketch) float64 {
	same := 0
	for i := range s {
		if s[i] == other[i] {
			same++
		}
	}
	return float64(same) / minima
}

// Bands returns the names of the sketch's bands. Of texts with a resemblance of 0.85, 95 % share a band; with one of 0.5,
// 23 %.
func (s Sketch) Bands() [bands]string {
	var names [bands]string
	digits := s.String()
	const width = 8 * bandRows
	for i := range names {
		names[i] = string(rune('a'+i)) + digits[i*width:(i+1)*width]
	}
	return names
}

// String returns the sketch as 128 hexadecimal digits.
func (s Sketch) String() string {
	data, _ := binary.Append(nil, binary.BigEndian, s) // cannot fail: the size is fixed
	return hex.EncodeToString(data)
}

// ErrSketch means that a text is not a sketch.
var ErrSketch = errors.New("not a sketch of 128 hexadecimal digits")

// Parse parses the String of a sketch, or returns ErrSketch.
func Parse(text string) (Sketch, error) {
	data, err := hex.DecodeString(strings.TrimSpace(text))
	var s Sketch
	if n, short := binary.Decode(data, binary.BigEndian, &s); err != nil || short != nil || n != len(data) {
		return Sketch{}, ErrSketch
	}
	return s, nil
}
