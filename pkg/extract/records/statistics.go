package records

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Limits of statistics.
const (
	MaxBins       = 50       // of a histogram
	MaxValues     = 20       // most frequent values
	MaxDistinct   = 100_000  // distinct values that are counted
	distinctBytes = 16 << 20 // bytes of the distinct values that are counted
)

// Statistics describe the values of a column in a set of records. Min, Max, Mean and so on refer to the values that are numbers,
// if at least half of the values are, or to the dates of a column of dates.
type Statistics struct {
	Name              string      `json:"name"`
	Property          bool        `json:"property,omitempty" doc:"true for values computed by Assay"`
	Type              Type        `json:"type" doc:"type of all values of the file: integer, number, date, boolean or text"`
	Count             int         `json:"count" doc:"number of records with a value"`
	Missing           int         `json:"missing" doc:"number of records without a value"`
	Numbers           int         `json:"numbers,omitempty" doc:"number of the values that are numbers; min, max, mean, standardDeviation and histogram refer to them"`
	Distinct          int         `json:"distinct,omitempty" doc:"number of different values; absent if there are more than 100,000, and in groups"`
	Min               any         `json:"min,omitempty" doc:"smallest number, with all its digits, or earliest date"`
	Max               any         `json:"max,omitempty" doc:"largest number, with all its digits, or latest date"`
	Mean              *float64    `json:"mean,omitempty" doc:"arithmetic mean of the numbers"`
	StandardDeviation *float64    `json:"standardDeviation,omitempty" doc:"standard deviation of the sample (n-1); absent for a single number"`
	Histogram         *Histogram  `json:"histogram,omitempty" doc:"of numbers or dates"`
	Values            []Frequency `json:"values,omitempty" doc:"the 20 most frequent values of a text or boolean; absent if there are more than 100,000 different ones"`
}

// A Histogram counts numbers or dates in intervals of equal width. Each interval contains its lower bound; the last one
// also contains its upper bound.
type Histogram struct {
	From   any   `json:"from" doc:"lower bound of the first interval: a number, or a date in UTC"`
	To     any   `json:"to" doc:"upper bound of the last interval"`
	Counts []int `json:"counts" doc:"number of values in each of up to 50 intervals of equal width"`
}

// A Frequency is a value and the number of records that have it.
type Frequency struct {
	Value string `json:"value" doc:"as in the first record that has it"`
	Count int    `json:"count"`
}

// A tally collects the values of a column.
type tally struct {
	column   Column
	records  int
	count    int
	keys     []uint64              // of numbers or dates
	keyed    map[uint64]*Frequency // distinct values with an exact key
	texts    map[string]*Frequency // other distinct values
	size     int                   // bytes of the distinct values
	exceeded bool
	min, max value
	least    string // cell of min
	most     string // cell of max
}

// add adds a cell of a record.
func (t *tally) add(cell string) {
	t.records++
	v := t.column.value(cell)
	if v.class == absent {
		return
	}
	t.count++
	if v.class == typed && t.column.Type != Boolean {
		if len(t.keys) == 0 || v.compare(t.min) < 0 {
			t.min, t.least = v, cell
		}
		if len(t.keys) == 0 || v.compare(t.max) > 0 {
			t.max, t.most = v, cell
		}
		t.keys = append(t.keys, v.key)
	}
	if !t.exceeded {
		t.distinct(v, cell, 1)
	}
}

// distinct counts n records with a value.

func (t *tally) distinct(v value, cell string, n int) {
	if t.keyed == nil {
		t.keyed, t.texts = map[uint64]*Frequency{}, map[string]*Frequency{}
	}
	f := t.keyed[v.key]
	if v.text != "" {
		f = t.texts[v.text]
	}
	if f != nil {
		f.Count += n
		return
	}
	if len(t.keyed)+len(t.texts) >= MaxDistinct || t.size+len(cell) > distinctBytes {
		t.exceed()
		return
	}
	f = &Frequency{strings.Clone(cell), n} // so that the cells of the chunk can be freed
	t.size += len(cell)
	switch v.text {
	case "":
		t.keyed[v.key] = f
	case cell:
		t.texts[f.Value] = f
	default:
		t.texts[strings.Clone(v.text)] = f
	}
}

// exceed stops counting distinct values.
func (t *tally) exceed() {
	t.exceeded, t.keyed, t.texts = true, nil, nil
}

// merge adds the cells of the next records.
func (t *tally) merge(next *tally) {
	if len(next.keys) > 0 {
		if len(t.keys) == 0 || next.min.compare(t.min) < 0 {
			t.min, t.least = next.min, strings.Clone(next.least)
		}
		if len(t.keys) == 0 || next.max.compare(t.max) > 0 {
			t.max, t.most = next.max, strings.Clone(next.most)
		}
	}
	t.records += next.records
	t.count += next.count
	t.keys = append(t.keys, next.keys...)
	if next.exceeded {
		t.exceed()
	}
	for key, f := range next.keyed {
		if !t.exceeded {
			t.distinct(value{key: key}, f.Value, f.Count)
		}
	}
	for text, f := range next.texts {
		if !t.exceeded {
			t.distinct(value{text: text}, f.Value, f.Count)
		}
	}
}

// statistics returns the statistics of the cells. A brief one has no histogram and no frequencies.
func (t *tally) statistics(brief bool) Statistics {
	c := t.column
	s := Statistics{Name: c.Name, Property: c.Property, Type: c.Type, Count: t.count, Missing: t.records - t.count, Distinct: len(t.keyed) + len(t.texts)}
	if n := len(t.keys); n > 0 && t.column.Numerical() {
		s.Numbers = n
		s.Min, s.Max = bound{numberOf(t.min.key), t.min.text}.exact(), bound{numberOf(t.max.key), t.max.text}.exact()
		t.moments(&s)
	} else if n > 0 {
		s.Min, s.Max = t.least, t.most
	}
	if brief {
		return s
	}
	switch {
	case len(t.keys) > 0 && t.column.Numerical():
		s.Histogram = histogram(t.keys, numberOf, func(x float64) any { return x }, integers(t.keys))
	case len(t.keys) > 0:
		s.Histogram = histogram(t.keys, func(key uint64) float64 { return float64(integerOf(key)) }, instant, false)
	default:
		s.Values = t.frequencies()
		s.Values = s.Values[:min(len(s.Values), MaxValues)]
	}
	return s
}

// moments computes the mean and the standard deviation in two passes, and adds with the compensated summation of Neumaier
// (1974).
func (t *tally) moments(s *Statistics) {
	n := float64(len(t.keys))
	mean := sum(t.keys, func(x float64) float64 { return x }) / n
	if math.IsInf(mean, 0) || math.IsNaN(mean) {
		return // a number, or the sum, is beyond the range of a float64
	}
	s.Mean = &mean
	if n > 1 {
		deviation := math.Sqrt(sum(t.keys, func(x float64) float64 { return (x - mean) * (x - mean) }) / (n - 1))
		if !math.IsInf(deviation, 0) && !math.IsNaN(deviation) {
			s.StandardDeviation = &deviation
		}
	}
}

func sum(keys []uint64, of func(float64) float64) float64 {
	total, lost := 0.0, 0.0
	for _, key := range keys {
		x := of(numberOf(key))
		next := total + x
		if math.Abs(total) >= math.Abs(x) {
			lost += total - next + x
		} else {
			lost += x - next + total
		}
		total = next
	}
	return total + lost
}

// integers reports whether all numbers are integers that lie so close together that a histogram can count each of them.
func integers(keys []uint64) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, key := range keys {
		x := numberOf(key)
		if x != math.Trunc(x) {
			return false
		}
		low, high = min(low, x), max(high, x)
	}
	return high-low < MaxBins
}

// histogram returns the histogram of at least one value, or nil if the range is infinite. each states that there is an
// interval for each integer. Otherwise the number of intervals is twice the cube root of the number of values (the Rice
// rule), at most MaxBins.
func histogram(keys []uint64, of func(uint64) float64, shown func(float64) any, each bool) *Histogram {
	low, high := math.Inf(1), math.Inf(-1)
	for _, key := range keys {
		low, high = min(low, of(key)), max(high, of(key))
	}
	if math.IsInf(high-low, 0) {
		return nil
	}
	bins := min(MaxBins, int(math.Ceil(2*math.Cbrt(float64(len(keys))))))
	width := (high - low) / float64(bins)
	h := &Histogram{From: shown(low), To: shown(high)}
	switch {
	case each:
		bins, width = int(high-low)+1, 1
		h.To = shown(high + 1)
	case width == 0 || math.IsInf(width, 0) || low+width == low:
		bins, width = 1, 1
	}
	h.Counts = make([]int, bins)
	for _, key := range keys {
		h.Counts[min(bins-1, int((of(key)-low)/width))]++
	}
	return h
}

// instant returns the date and time of an integer key.
func instant(x float64) any {
	units := int64(x)
	return time.Unix(units/instantsPerSecond, units%instantsPerSecond*(1e9/instantsPerSecond)).UTC().Format(time.RFC3339Nano)
}

// frequencies returns the distinct values, the most frequent ones first, or none if there are more than were counted.
func (t *tally) frequencies() []Frequency {
	all := make([]Frequency, 0, len(t.keyed)+len(t.texts))
	for f := range maps.Values(t.keyed) {
		all = append(all, *f)
	}
	for f := range maps.Values(t.texts) {
		all = append(all, *f)
	}
	slices.SortFunc(all, Frequency.compare)
	return all
}

// compare puts frequent values first.
func (f Frequency) compare(g Frequency) int {
	if f.Count != g.Count {
		return g.Count - f.Count
	}
	return strings.Compare(f.Value, g.Value)
}
