package dataset

import "strconv"

// group sets the groups of the rows: rows with the same InChIKey are one, and rows without an InChIKey that have the same
// features. Where most of the latter have the features of others, as in a table with few different values, each row is a
// group. It remarks on groups with different values.
func (b *builder) group() {
	d, places := &b.set.Data, map[string]int{}
	d.Groups = make([]int, d.X.Rows)
	b.keyRows()
	var first []float64 // value of the first row of each group
	var differ []bool
	for i, key := range b.keys {
		place, found := places[key]
		if !found {
			place = len(places)
			places[key] = place
			first, differ = append(first, d.Y[i]), append(differ, false)
		}
		d.Groups[i] = place
		if d.Y[i] != first[place] {
			differ[place] = true
		}
	}
	b.set.Report.Groups = len(places)
	n := 0
	for _, different := range differ {
		if different {
			n++
		}
	}
	switch {
	case n == 1:
		b.remark("A molecule, or a combination of features, occurs in several records with different values of %s.", b.set.Target.Column.Name)
	case n > 1:
		b.remark("%d molecules, or combinations of features, occur in several records with different values of %s.", n, b.set.Target.Column.Name)
	}
}

// keyRows sets the keys of the rows without an InChIKey.
func (b *builder) keyRows() {
	var without []int
	distinct := map[string]bool{}
	for i, key := range b.keys {
		if key == "" {
			sum := digest(b.set.Data.X.Row(i))
			b.keys[i] = string(sum[:])
			distinct[b.keys[i]] = true
			without = append(without, i)
		}
	}
	if 2*len(distinct) >= len(without) {
		return
	}
	for _, i := range without {
		b.keys[i] = strconv.Itoa(i)
	}
}
