package numberformat

import "strings"

// classify returns the section of tokens. It finds out what commas and points mean, which depends on those around them.
func classify(tokens []token) section {
	var s section
	for _, t := range tokens {
		if mark, ok := strings.CutPrefix(t.text, conditionMark); ok {
			s.condition = parseCondition(mark)
			continue
		}
		s.tokens = append(s.tokens, t)
	}
	has := map[tokenKind]bool{}
	for _, t := range s.tokens {
		has[t.kind] = true
	}
	switch {
	case has[total]:
		s.kind = elapsed
	case has[part]:
		s.kind = date
	case has[content]:
		s.kind = text
	case has[standard]:
		s.kind = general
	case has[power] && has[digit]:
		s.kind = exponent
	case has[slash] && has[digit] && s.divides():
		s.kind = fraction
	case has[digit]:
		s.kind = number
	}
	if s.kind == date || s.kind == elapsed {
		s.joinSeconds()
	} else {
		s.readMarks()
	}
	return s
}

// divides reports whether a slash has digits on both sides.
func (s section) divides() bool {
	i := s.find(slash)
	before, after := false, false
	for j, t := range s.tokens {
		isDigit := t.kind == digit || t.kind == quoted && t.text >= "1" && t.text <= "9"
		before = before || t.kind == digit && j < i
		after = after || isDigit && j > i
	}
	return before && after
}

// find returns the index of the first token of a kind, or -1.
func (s section) find(k tokenKind) int {
	for i, t := range s.tokens {
		if t.kind == k {
			return i
		}
	}
	return -1
}

// joinSeconds joins a point and the digits after seconds to one token. Other digits of a date are literal.
func (s *section) joinSeconds() {
	var joined []token
	for i := 0; i < len(s.tokens); i++ {
		t := s.tokens[i]
		decimals := 0
		for t.kind == point && i+1+decimals < len(s.tokens) && s.tokens[i+1+decimals].text == "0" {
			decimals++
		}
		if decimals > 0 {
			s.seconds = max(s.seconds, min(decimals, 3))
			t, i = token{tenths, strings.Repeat("0", min(decimals, 3))}, i+decimals
		}
		joined = append(joined, t)
	}
	s.tokens = joined
}

// readMarks counts percent signs, finds the commas that group or scale, and makes the other commas and points literal.
func (s *section) readMarks() {
	pointAt := -1
	last := -1 // the last digit before the point, or the last of all
	for i := range s.tokens {
		switch t := &s.tokens[i]; t.kind {
		case percent:
			s.percents++
			t.kind = quoted
		case point:
			if pointAt >= 0 || s.kind == fraction {
				t.kind = quoted
			} else {
				pointAt = i
			}
		case slash:
			if s.kind != fraction {
				t.kind = quoted
			}
		}
	}
	next := func(i int) tokenKind { // the kind of the next token that is not a comma
		for i++; i < len(s.tokens); i++ {
			if s.tokens[i].kind != comma {
				return s.tokens[i].kind
			}
		}
		return quoted
	}
	var kept []token
	for i, t := range s.tokens {
		if t.kind == digit {
			last = i
		}
		if t.kind != comma {
			kept = append(kept, t)
			continue
		}
		switch {
		case last < 0: // before all digits
			kept = append(kept, token{quoted, ","})
		case next(i) == digit && (pointAt < 0 || i < pointAt):
			s.grouped = true
		default:
			s.scale++
		}
	}
	s.tokens = kept
}
