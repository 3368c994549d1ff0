package jpegfile

import (
	"context"
	"errors"
	"slices"
)

// scan is a scan of a frame (ITU-T T.81, B.2.3).
type scan struct {
	*decoder
	bits
	components []*component
	start, end int  // first and last coefficient, in zigzag order
	high, low  uint // bit positions of successive approximation
}

// scan reads the header of a scan and its data. It records which part is missing, and returns an error if the header is
// damaged.
func (d *decoder) scan(body []byte) error {
	s := scan{decoder: d, bits: bits{data: d.data, at: d.at}}
	if len(body) < 1 || len(body) != 4+2*int(body[0]) {
		return errors.New("the header of a scan has a wrong length")
	}
	for b := body[1 : len(body)-3]; len(b) > 0; b = b[2:] {
		if err := s.add(b[0], b[1]); err != nil {
			return err
		}
	}
	last := body[len(body)-3:]
	s.start, s.end, s.high, s.low = int(last[0]), int(last[1]), uint(last[2]>>4), uint(last[2]&15)
	if !d.frame.progressive {
		s.start, s.end, s.high, s.low = 0, 63, 0, 0
	}
	if err := s.check(); err != nil {
		return err
	}
	read, total := s.run()
	d.at = s.bits.at
	if read < total {
		d.damaged = true
	}
	for _, c := range s.components {
		for k := s.start; k <= s.end && s.low == 0; k++ {
			c.done[k] = float64(read) / float64(total)
		}
	}
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return nil
}

func (s *scan) add(id, tables byte) error {
	for _, c := range s.frame.components {
		if c.id != id || slices.Contains(s.components, c) { // several components may have the same name
			continue
		}
		if tables>>4 > 3 || tables&15 > 3 {
			break
		}
		c.dc, c.ac, c.last = s.decoder.dc[tables>>4], s.decoder.ac[tables&15], 0
		if c.quantization == nil {
			c.quantization = s.tables[c.table]
		}
		s.components = append(s.components, c)
		return nil
	}
	return errors.New("the header of a scan names an unknown component or table")
}

func (s *scan) check() error {
	units := 0
	for _, c := range s.components {
		units += c.h * c.v
		needsDC, needsAC := s.start == 0 && s.high == 0, s.end > 0 && (s.start > 0 || !s.frame.progressive)
		if c.quantization == nil || needsDC && c.dc == nil || needsAC && c.ac == nil {
			return errors.New("a table is missing")
		}
	}
	switch {
	case len(s.components) == 0, s.start > s.end, s.end > 63, s.low > 13, s.high > 13,
		s.start > 0 && len(s.components) > 1, s.frame.progressive && s.start == 0 && s.end > 0:
		return errors.New("the header of a scan is invalid")
	}
	return nil
}

// run decodes all units and returns how many were read. After damage it continues at the next restart marker.
func (s *scan) run() (read, total int) {
	across, down := s.frame.across, s.frame.down
	if len(s.components) == 1 { // a unit is one block
		c := s.components[0]
		across, down = c.blocks, c.rows
	}
	total = across * down
	s.decoder.run = 0
	for unit := 0; unit < total; {
		if unit%across == 0 && s.ctx.Err() != nil {
			return read, total
		}
		if s.restart > 0 && unit%s.restart == 0 && unit > 0 && !s.resume(&unit) {
			return read, total
		}
		if unit >= total {
			break
		}
		if s.unit(unit%across, unit/across) == nil {
			read++
			unit++
			continue
		}
		if s.restart == 0 {
			s.align()
			return read, total
		}
		unit += s.restart - unit%s.restart
	}
	if s.align(); len(s.components) > 0 && total == 0 {
		total = 1
	}
	return read, total
}

// resume continues after a restart marker. It moves unit ahead if markers are missing.
func (s *scan) resume(unit *int) bool {
	marker := s.align()
	if marker < markerRST0 || marker > markerRST7 {
		return false
	}
	s.bits.at += 2
	expected := (*unit/s.restart - 1) & 7
	if lost := (int(marker-markerRST0) - expected) & 7; lost <= 2 {
		*unit += lost * s.restart
	}
	s.decoder.run = 0
	for _, c := range s.components {
		c.last = 0
	}
	return true
}

// unit decodes the blocks of a unit.
func (s *scan) unit(x, y int) error {
	if len(s.components) == 1 {
		c := s.components[0]
		return s.block(c, y*c.across+x)
	}
	for _, c := range s.components {
		for v := range c.v {
			for h := range c.h {
				if err := s.block(c, (y*c.v+v)*c.across+x*c.h+h); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// block decodes the block of a component with index at.
func (s *scan) block(c *component, at int) error {
	if !s.frame.progressive {
		return s.sequential(c, at)
	}
	b := c.coefficients[64*at:][:64]
	switch {
	case s.start == 0 && s.high == 0:
		value, err := s.first(c)
		b[0] = value
		return err
	case s.start == 0:
		bit, err := s.read(1)
		b[0] |= int16(bit << s.low)
		return err
	case s.high == 0:
		return s.coefficients(c, b, s.start)
	default:
		return s.refine(c, b)
	}
}

// first decodes the DC coefficient.
func (s *scan) first(c *component) (int16, error) {
	n, err := s.symbol(c.dc)
	if err != nil {
		return 0, err
	}
	if n > 16 {
		return 0, errCode
	}
	difference, err := s.extend(n)
	if err != nil {
		return 0, err
	}
	c.last += difference
	return int16(c.last << s.low), nil
}

// sequential decodes a block of a sequential scan and calculates its samples, even if its data is damaged.
func (s *scan) sequential(c *component, at int) error {
	value, err := s.first(c)
	b := [64]int32{int32(value) * int32(c.quantization[0])}
	last := 0
	if err == nil {
		last, err = s.numbers(c, &b)
	}
	c.write(&b, at, last == 0, s.frame.Precision)
	return err
}

// numbers decodes the AC coefficients of a block of a sequential scan and returns the index of the last one.
func (s *scan) numbers(c *component, b *[64]int32) (at int, err error) {
	codes, table := c.ac, c.quantization
	for k := 1; k < 64; k++ {
		if s.count < 32 {
			s.fill()
		}
		if both := codes.both[s.left>>(64-ahead)]; both != 0 {
			length := int(both & 0xff)
			s.left <<= length
			if s.count -= length; s.count < 0 {
				return at, errShort
			}
			zeros := int(both >> 8 & 0xff)
			if zeros == last {
				return at, nil
			}
			if k += zeros; k > 63 {
				return at, errCode
			}
			at = int(zigzag[k] & 63)
			b[at] = both >> 16 * int32(table[at])
			continue
		}
		symbol, err := s.symbol(codes)
		if err != nil {
			return at, err
		}
		zeros, n := symbol>>4, symbol&15
		if k += zeros; n == 0 {
			if zeros == 15 {
				continue
			}
			return at, nil
		}
		if k > 63 {
			return at, errCode
		}
		value, err := s.extend(n)
		if err != nil {
			return at, err
		}
		at = int(zigzag[k] & 63)
		b[at] = int32(value) * int32(table[at])
	}
	return at, nil
}

// coefficients decodes the AC coefficients from k, of the first scan of a progressive frame (ITU-T T.81, G.1.2.2).
func (s *scan) coefficients(c *component, b []int16, k int) error {
	if s.decoder.run > 0 {
		s.decoder.run--
		return nil
	}
	for k <= s.end {
		symbol, err := s.symbol(c.ac)
		if err != nil {
			return err
		}
		zeros, n := symbol>>4, symbol&15
		if n == 0 {
			if zeros == 15 {
				k += 16
				continue
			}
			if zeros > 0 && s.frame.progressive {
				more, err := s.read(zeros)
				s.decoder.run = 1<<zeros - 1 + more
				return err
			}
			return nil
		}
		if k += zeros; k > s.end {
			return errCode
		}
		value, err := s.extend(n)
		if err != nil {
			return err
		}
		b[zigzag[k]] = int16(value << s.low)
		k++
	}
	return nil
}

// refine decodes one more bit of the AC coefficients (ITU-T T.81, G.1.2.3).
func (s *scan) refine(c *component, b []int16) error {
	k := s.start
	if s.decoder.run == 0 {
		for k <= s.end {
			symbol, err := s.symbol(c.ac)
			if err != nil {
				return err
			}
			zeros, value := symbol>>4, 0
			if symbol&15 != 0 {
				sign, err := s.read(1)
				if err != nil {
					return err
				}
				value = (2*sign - 1) << s.low
			} else if zeros < 15 {
				more, err := s.read(zeros)
				if err != nil {
					return err
				}
				s.decoder.run = 1<<zeros + more
				break
			}
			if k, err = s.pass(b, k, zeros); err != nil {
				return err
			}
			if value != 0 {
				if k > s.end {
					return errCode
				}
				b[zigzag[k]] = int16(value)
			}
			k++
		}
	}
	if s.decoder.run > 0 {
		s.decoder.run--
		_, err := s.pass(b, k, -1)
		return err
	}
	return nil
}

// pass refines the coefficients from k that are not zero, up to the coefficient after the given number of zeros, or up
// to the end of the band if zeros is negative. It returns the index of that coefficient.
func (s *scan) pass(b []int16, k, zeros int) (int, error) {
	for ; k <= s.end; k++ {
		value := &b[zigzag[k]]
		if *value == 0 {
			if zeros == 0 {
				break
			}
			zeros--
			continue
		}
		bit, err := s.read(1)
		if err != nil {
			return k, err
		}
		if delta := int16(1) << s.low; bit != 0 && *value&delta == 0 {
			if *value < 0 {
				delta = -delta
			}
			*value += delta
		}
	}
	return k, nil
}
