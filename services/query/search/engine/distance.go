package engine

import "unicode/utf8"

// distance computes the number of typing errors between a word and others: characters that were inserted, left out or replaced,
// and neighbours that were swapped (the optimal string alignment distance).
type distance struct {
	word []rune
	most int
	rows [3][]int // of the dynamic program: the current one, and the two before
}

// newDistance returns a distance that distinguishes up to most errors.
func newDistance(word string, most int) *distance {
	d := &distance{word: []rune(word), most: most}
	for i := range d.rows {
		d.rows[i] = make([]int, len(d.word)+1)
	}
	return d
}

// of returns the distance to another word, or more than most. If every word with the same beginning has a larger distance
// than most, dead is the length of the beginning in bytes, otherwise 0.
func (d *distance) of(other string) (errors, dead int) {
	before, last, row := d.rows[0], d.rows[1], d.rows[2]
	for j := range last {
		last[j] = j
	}
	least := 0 // of the row before
	var previous rune
	for i, r := range other {
		row[0] = last[0] + 1
		now := row[0]
		for j, want := range d.word {
			cost := 1
			if r == want {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && r == d.word[j-1] && previous == want {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			now = min(now, row[j+1])
		}
		if now > d.most && least+1 > d.most {
			return d.most + 1, i + utf8.RuneLen(r)
		}
		before, last, row = last, row, before
		least, previous = now, r
	}
	return last[len(d.word)], 0
}
