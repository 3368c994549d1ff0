package sentiment

// Products are converted to float64 before an addition. The conversion prevents fused multiply-add,
// so that scores are the same on every processor.

// weigh computes the valences of a reading.
func (r *reading) weigh() {
	r.valences, r.places = r.valences[:0], r.places[:0]
	but := -1
	for i, t := range r.tokens {
		switch {
		case t.word.inLexicon:
			if v := r.valence(i); v != 0 {
				r.valences, r.places = append(r.valences, v), append(r.places, i)
			}
		case t.word.term == termBut && but < 0:
			but = i
		}
	}
	if but >= 0 {
		r.weighBut(but)
	}
}

// term returns the term of the token at i, or 0 if there is none.
func (r *reading) term(i int) term {
	if i >= len(r.tokens) {
		return 0
	}
	return r.tokens[i].word.term
}

// valence returns the valence of the token at i, a word of the lexicon, in its context.
func (r *reading) valence(i int) float64 {
	t := r.tokens[i]
	if t.word.term == termKind && r.term(i+1) == termOf {
		return 0
	}
	v := t.word.valence
	if t.word.term == termNo && i+1 < len(r.tokens) && r.tokens[i+1].word.inLexicon {
		v = 0
	}
	if i > 0 && r.term(i-1) == termNo || i > 1 && r.term(i-2) == termNo ||
		i > 2 && r.term(i-3) == termNo && (r.term(i-1) == termOr || r.term(i-1) == termNor) {
		v = float64(t.word.valence * negation)
	}
	if t.capitals && r.emphasis {
		if v > 0 {
			v += capitals
		} else {
			v -= capitals
		}
	}
	for distance := 1; distance <= min(i, 3); distance++ {
		before := r.tokens[i-distance]
		if before.word.inLexicon {
			continue
		}
		if before.word.boost != 0 {
			v += r.boost(before, distance, v)
		}
		v = float64(v * r.negation(i, distance))
		if distance == 3 {
			v = r.phrases(i, v)
		}
	}
	if i > 0 && r.term(i-1) == termLeast &&
		(i == 1 || r.term(i-2) != termAt && r.term(i-2) != termVery) {
		v = float64(v * negation)
	}
	return v
}

// boost returns the amount that a booster adds to the valence v of a word at the given distance
// after it.
func (r *reading) boost(booster token, distance int, v float64) float64 {
	b := booster.word.boost
	if v < 0 {
		b = -b
	}
	if booster.capitals && r.emphasis {
		if v > 0 {
			b += capitals
		} else {
			b -= capitals
		}
	}
	switch distance {
	case 2:
		b *= 0.95
	case 3:
		b *= 0.9
	}
	return float64(b)
}

// negation returns the negation factor of the token at the given distance before i.
func (r *reading) negation(i, distance int) float64 {
	before := r.term(i - distance)
	switch distance {
	case 2:
		next := r.term(i - 1)
		switch {
		case before == termNever && (next == termSo || next == termThis):
			return never
		case before == termWithout && next == termDoubt:
			return 1
		}
	case 3:
		next, last := r.term(i-2), r.term(i-1)
		switch {
		case before == termNever && (next == termSo || next == termThis),
			last == termSo || last == termThis: // regardless of the preceding words, as in the reference
			return never
		case before == termWithout && (next == termDoubt || last == termDoubt):
			return 1
		}
	}
	if r.negates(r.tokens[i-distance]) {
		return negation
	}
	return 1
}

// phrases returns the valence of the phrase that contains the word at i, or v, the valence of the
// word. It subtracts the effect of a two-word dampener before the word.
func (r *reading) phrases(i int, v float64) float64 {
	third, second, first, here := r.term(i-3), r.term(i-2), r.term(i-1), r.term(i)
	next, afterNext := r.term(i+1), r.term(i+2)
	for _, p := range [...]phrase{
		{first, here}, {second, first, here}, {second, first}, {third, second, first}, {third, second},
	} {
		if whole, ok := phraseValence(p); ok {
			v = whole
			break
		}
	}
	if whole, ok := phraseValence(phrase{here, next}); ok {
		v = whole
	}
	if whole, ok := phraseValence(phrase{here, next, afterNext}); ok {
		v = whole
	}
	if dampens(third, second) {
		v -= boost
	}
	if dampens(second, first) {
		v -= boost
	}
	return v
}

// weighBut halves the valences before the token at but and raises those after it by half. As in the
// reference, each step changes the first valence that equals the current one, which may belong to
// another word. The time is quadratic in the number of valences, but only for texts with a "but":
// at most a few milliseconds for 10,000 characters.
func (r *reading) weighBut(but int) {
	for _, v := range r.valences {
		first := 0
		for r.valences[first] != v {
			first++
		}
		if r.places[first] < but {
			r.valences[first] = v * 0.5
		} else {
			r.valences[first] = float64(v * 1.5)
		}
	}
}
