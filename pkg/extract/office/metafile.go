package office

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// longestMetafile is the maximum size of a metafile that is read, in bytes.
const longestMetafile = 8 << 20

// readMetafile adds the text that an EMF or WMF picture draws, such as the preview of an embedded
// object or a chart from another program. It ignores other picture formats.
func (p *parts) readMetafile(part string) error {
	name := partName(part)
	if p.drawn[name] || !strings.HasSuffix(name, ".emf") && !strings.HasSuffix(name, ".wmf") {
		return nil
	}
	p.drawn[name] = true
	b, err := p.bytes(part, longestMetafile)
	if err != nil {
		if p.left <= 0 || p.ctx.Err() != nil {
			return err
		}
		p.damaged++
		return nil
	}
	if err := p.out.separate('\n'); err != nil {
		return err
	}
	add := func(s string) error {
		if s = strings.TrimSpace(strings.Map(printable, s)); s == "" {
			return nil
		}
		if err := p.out.add(s); err != nil {
			return err
		}
		return p.out.separate(' ')
	}
	if len(b) >= 44 && string(b[40:44]) == " EMF" {
		return eachEnhancedText(b, add)
	}
	return eachMetafileText(b, add)
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r >= 0xe000 && r <= 0xf8ff {
		return -1
	}
	return r
}

// eachEnhancedText calls f for each text in an EMF ([MS-EMF], section 2.3.5).
func eachEnhancedText(b []byte, f func(string) error) error {
	const (
		textW   = 84                 // EMR_EXTTEXTOUTW
		emrText = 8 + 16 + 4 + 4 + 4 // offset of the EmrText object
	)
	le := binary.LittleEndian
	for len(b) >= 8 {
		kind, size := le.Uint32(b), le.Uint32(b[4:])
		if size < 8 || uint64(size) > uint64(len(b)) {
			return nil
		}
		record := b[:size]
		b = b[size:]
		if kind != textW || len(record) < emrText+16 {
			continue
		}
		n, at := uint64(le.Uint32(record[emrText+8:])), uint64(le.Uint32(record[emrText+12:]))
		if at+2*n > uint64(len(record)) || n > uint64(len(record)) {
			continue
		}
		units := make([]uint16, n)
		for i := range units {
			units[i] = le.Uint16(record[at+2*uint64(i):])
		}
		if err := f(string(utf16.Decode(units))); err != nil {
			return err
		}
	}
	return nil
}

// eachMetafileText calls f for each text in a WMF ([MS-WMF], section 2.3.3), decoded as
// Windows-1252.
func eachMetafileText(b []byte, f func(string) error) error {
	const textOut, extTextOut, opaque, clipped = 0x0521, 0x0a32, 2, 4
	le := binary.LittleEndian
	if bytes.HasPrefix(b, []byte{0xd7, 0xcd, 0xc6, 0x9a}) { // the header of a placeable metafile
		b = b[min(22, len(b)):]
	}
	if len(b) < 18 {
		return nil
	}
	for b = b[18:]; len(b) >= 6; {
		size, kind := uint64(le.Uint32(b))*2, le.Uint16(b[4:])
		if size < 6 || size > uint64(len(b)) {
			return nil
		}
		record := b[6:size]
		b = b[size:]
		var n, at int
		switch {
		case kind == textOut && len(record) >= 2:
			n, at = int(le.Uint16(record)), 2
		case kind == extTextOut && len(record) >= 8:
			n, at = int(le.Uint16(record[4:])), 8
			if le.Uint16(record[6:])&(opaque|clipped) != 0 {
				at += 8
			}
		}
		if n == 0 || at+n > len(record) {
			continue
		}
		text, err := charmap.Windows1252.NewDecoder().Bytes(record[at : at+n])
		if err != nil {
			continue
		}
		if err := f(string(text)); err != nil {
			return err
		}
	}
	return nil
}
