package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
)

// rows are the first bytes of a national character set of 94 × 94 characters in its EUC form.
type rows struct {
	set         encoding.Encoding
	first, last byte
}

// characters returns the characters of rows of a national character set.
func (r rows) characters() (all []rune) {
	decoder := r.set.NewDecoder()
	for row := int(r.first); row <= int(r.last); row++ {
		for column := 0xa1; column <= 0xfe; column++ {
			decoded, err := decoder.String(string([]byte{byte(row), byte(column)}))
			if err == nil && !strings.ContainsRune(decoded, '�') {
				all = append(all, []rune(decoded)...)
			}
		}
	}
	return all
}

// subset returns a TrueType font with the glyphs of some characters and the space. The glyphs keep their numbers; those of other
// characters are empty. It has no layout tables.
func subset(ttf []byte, sets []rows) (_ []byte, err error) {
	defer func() {
		if r := recover(); r != nil { // an index out of range
			err = fmt.Errorf("the font is damaged: %v", r)
		}
	}()
	f := tables(ttf)
	if f["glyf"] == nil || binary.BigEndian.Uint16(f["head"][50:]) != 1 {
		return nil, errors.New("the font is not TrueType with long offsets")
	}
	glyphOf := characterMap(f["cmap"])
	kept, glyphs := map[rune]uint16{' ': glyphOf[' ']}, map[uint16]bool{0: true, glyphOf[' ']: true}
	for _, set := range sets {
		for _, r := range set.characters() {
			if g := glyphOf[r]; g != 0 {
				kept[r], glyphs[g] = g, true
			}
		}
	}
	loca, glyf, hmtx := reduced(f, glyphs)
	head := slices.Clone(f["head"])
	return assembled(map[string][]byte{
		"OS/2": f["OS/2"], "cmap": newCharacterMap(kept), "glyf": glyf, "head": head, "hhea": f["hhea"], "hmtx": hmtx,
		"loca": loca, "maxp": f["maxp"], "name": f["name"], "post": append([]byte{0, 3, 0, 0}, f["post"][4:32]...),
	}), nil
}

func tables(ttf []byte) map[string][]byte {
	all := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(ttf[4:])) {
		entry := ttf[12+16*i:]
		at, size := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		all[string(entry[:4])] = ttf[at : at+size]
	}
	return all
}

// characterMap reads a subtable of format 12 (OpenType 1.9, cmap).
func characterMap(cmap []byte) map[rune]uint16 {
	all := map[rune]uint16{}
	for i := range int(binary.BigEndian.Uint16(cmap[2:])) {
		sub := cmap[binary.BigEndian.Uint32(cmap[4+8*i+4:]):]
		if binary.BigEndian.Uint16(sub) != 12 {
			continue
		}
		for group := range int(binary.BigEndian.Uint32(sub[12:])) {
			entry := sub[16+12*group:]
			first, last, glyph := binary.BigEndian.Uint32(entry), binary.BigEndian.Uint32(entry[4:]), binary.BigEndian.Uint32(entry[8:])
			for r := first; r <= last; r++ {
				all[rune(r)] = uint16(glyph + r - first)
			}
		}
	}
	return all
}

// newCharacterMap returns a cmap with a subtable of format 12 for Windows.
func newCharacterMap(glyphs map[rune]uint16) []byte {
	var runes []rune
	for r := range glyphs {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	var groups []byte
	for i := 0; i < len(runes); {
		end := i + 1
		for end < len(runes) && runes[end] == runes[end-1]+1 && glyphs[runes[end]] == glyphs[runes[end-1]]+1 {
			end++
		}
		for _, n := range []uint32{uint32(runes[i]), uint32(runes[end-1]), uint32(glyphs[runes[i]])} {
			groups = binary.BigEndian.AppendUint32(groups, n)
		}
		i = end
	}
	cmap := []byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0}
	for _, n := range []int{16 + len(groups), 0, len(groups) / 12} {
		cmap = binary.BigEndian.AppendUint32(cmap, uint32(n))
	}
	return append(cmap, groups...)
}

// reduced returns the outlines and metrics of the given glyphs, and of the glyphs that these are composed of.
func reduced(f map[string][]byte, glyphs map[uint16]bool) (loca, glyf, hmtx []byte) {
	outline := func(g uint16) []byte {
		return f["glyf"][binary.BigEndian.Uint32(f["loca"][4*int(g):]):binary.BigEndian.Uint32(f["loca"][4*int(g)+4:])]
	}
	var open []uint16
	for g := range glyphs {
		open = append(open, g)
	}
	for len(open) > 0 {
		g := open[0]
		open = open[1:]
		for _, part := range components(outline(g)) {
			if !glyphs[part] {
				glyphs[part], open = true, append(open, part)
			}
		}
	}
	count, full := int(binary.BigEndian.Uint16(f["maxp"][4:])), int(binary.BigEndian.Uint16(f["hhea"][34:]))
	hmtx = slices.Clone(f["hmtx"])
	for g := range count {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		if glyphs[uint16(g)] {
			glyf = append(glyf, outline(uint16(g))...)
			continue
		}
		if g < full-1 {
			copy(hmtx[4*g:], []byte{0, 0, 0, 0})
		} else if g >= full {
			copy(hmtx[4*full+2*(g-full):], []byte{0, 0})
		}
	}
	return binary.BigEndian.AppendUint32(loca, uint32(len(glyf))), glyf, hmtx
}

// components returns the glyphs of which a glyph is composed (OpenType 1.9, glyf).
func components(outline []byte) (parts []uint16) {
	const words, scale, more, scales, matrix = 1, 8, 0x20, 0x40, 0x80
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return nil
	}
	for at := 10; ; {
		flags := binary.BigEndian.Uint16(outline[at:])
		parts = append(parts, binary.BigEndian.Uint16(outline[at+2:]))
		at += 6
		if flags&words != 0 {
			at += 2
		}
		switch {
		case flags&scale != 0:
			at += 2
		case flags&scales != 0:
			at += 4
		case flags&matrix != 0:
			at += 8
		}
		if flags&more == 0 {
			return parts
		}
	}
}

// assembled returns a font file of tables.
func assembled(all map[string][]byte) []byte {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	out := []byte{0, 1, 0, 0, 0, byte(len(names)), 0, 0, 0, 0, 0, 0}
	at := 12 + 16*len(names)
	var body []byte
	for _, name := range names {
		out = append(out, name...)
		out = binary.BigEndian.AppendUint32(out, 0) // no checksum
		out = binary.BigEndian.AppendUint32(out, uint32(at+len(body)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(all[name])))
		body = append(body, all[name]...)
		body = append(body, make([]byte, -len(body)&3)...)
	}
	return append(out, body...)
}
