package records

import "strings"

// A Column is a field or a property of the records of a file, with statistics of its values. Min and
// Max are set only for columns of numbers or dates.
type Column struct {
	Name     string `json:"name"`
	Property bool   `json:"property,omitempty"` // computed by Assay instead of read from the file
	Type     Type   `json:"type"`
	Count    int    `json:"count"` // records with a value
	Empty    int    `json:"empty"` // processed records without a value
	// NotDetermined is the number of processed records for which a property could not be determined. Filters do not
	// find them.
	NotDetermined int     `json:"notDetermined,omitempty"`
	Numeric       float64 `json:"numericShare"`  // share of the values that are not Missing that are numbers, 0 to 1
	Min           any     `json:"min,omitempty"` // a float64, a json.Number if that has more digits, or a date as in the file
	Max           any     `json:"max,omitempty"`
	Decimal       string  `json:"decimal,omitempty"` // "," if its numbers have a decimal comma, "." if commas group their digits
	Unit          string  `json:"unit,omitempty"`    // as a row below the header of a table states it
	Missing       int     `json:"missing,omitempty"` // values such as NA, if the type is not Text: they are not of that type
}

// A Summary contains statistics of the columns of some records. Merging the summaries of the chunks of a
// file in order yields the summary of the file.
type Summary struct {
	Records int         `json:"records"` // processed
	Failed  int         `json:"failed"`
	Omitted int         `json:"omitted"` // fields beyond MaxFields, counted once per chunk
	Columns []statistic `json:"columns"`

	place map[columnKey]int
	last  int // the column that was found last; the next one is usually that of the next value
	over  map[columnKey]bool
}

type columnKey struct {
	name     string
	property bool
}

type statistic struct {
	Name     string  `json:"name"`
	Property bool    `json:"property,omitempty"`
	Count    int     `json:"count"`
	Unknown  int     `json:"notDetermined,omitempty"` // records for which the property could not be determined
	Integers int     `json:"integers,omitempty"`
	Numbers  int     `json:"numbers,omitempty"`
	Dates    int     `json:"dates,omitempty"`
	Booleans int     `json:"booleans,omitempty"`
	Min      float64 `json:"min,omitempty"` // minimum of the numbers
	Max      float64 `json:"max,omitempty"`
	Least    string  `json:"least,omitempty"` // the minimum with all digits, if Min has fewer
	Most     string  `json:"most,omitempty"`
	First    string  `json:"first,omitempty"` // earliest date
	Last     string  `json:"last,omitempty"`
	Missing  int     `json:"missing,omitempty"` // values such as NA
	Points   int     `json:"points,omitempty"`  // numbers with a point
	Marks    *marks  `json:"marks,omitempty"`   // nil if no value has a decimal comma or groups of digits
}

// Add counts a record.
func (s *Summary) Add(r *Record) {
	if r.Failed() {
		s.Failed++
		return
	}
	s.Records++
	for i := range r.Properties {
		p := &r.Properties[i]
		if column := s.column(columnKey{p.Name, true}); column != nil {
			column.add(textOf(p.Value))
		}
	}
	for _, name := range r.NotDetermined {
		if column := s.column(columnKey{name, true}); column != nil {
			column.Unknown++
		}
	}
	for i := range r.Fields {
		if column := s.column(columnKey{r.Fields[i].Name, false}); column != nil {
			column.add(r.Fields[i].Value)
		}
	}
}

// Merge adds the summary of the next records.
func (s *Summary) Merge(next *Summary) {
	s.Records += next.Records
	s.Failed += next.Failed
	s.Omitted += next.Omitted
	for i := range next.Columns {
		more := &next.Columns[i]
		if column := s.column(columnKey{more.Name, more.Property}); column != nil {
			column.merge(more)
		}
	}
}

// column returns the statistics of a column, or nil if there are too many columns.
func (s *Summary) column(key columnKey) *statistic {
	i, found := s.find(key)
	if !found {
		if len(s.Columns) >= MaxFields {
			if s.over == nil {
				s.over = map[columnKey]bool{}
			}
			if len(s.over) < MaxFields && !s.over[key] {
				s.over[key] = true
				s.Omitted++
			}
			return nil
		}
		i = len(s.Columns)
		s.place[key] = i
		s.Columns = append(s.Columns, statistic{Name: key.name, Property: key.property})
	}
	return &s.Columns[i]
}

// find returns the index of a column.
func (s *Summary) find(key columnKey) (int, bool) {
	next := s.last + 1
	if next >= len(s.Columns) {
		next = 0
	}
	if next < len(s.Columns) && s.Columns[next].Name == key.name && s.Columns[next].Property == key.property {
		s.last = next
		return next, true
	}
	if s.place == nil {
		s.place = make(map[columnKey]int, len(s.Columns))
		for i := range s.Columns {
			s.place[columnKey{s.Columns[i].Name, s.Columns[i].Property}] = i
		}
	}
	i, found := s.place[key]
	if found {
		s.last = i
	}
	return i, found
}

func (c *statistic) add(value string) {
	if value == "" {
		return
	}
	c.Count++
	value = strings.TrimSpace(value)
	if Missing(value) {
		c.Missing++
	} else if n, integer, ok := parseNumber(value); ok {
		c.plain(boundOf(n, value), integer, value)
	} else if _, ok := parseDate(value); ok {
		c.date(value)
		c.Dates++
	} else if isBoolean(value) {
		c.Booleans++
	} else if hasMark(value) {
		c.marked().add(value)
	}
}

// plain counts a number.
func (c *statistic) plain(b bound, integer bool, value string) {
	point := strings.LastIndexByte(value, '.')
	switch {
	case point > 0 && point <= len("-000") && len(value)-point == len(".000") && c.marked().Comma.read(value, ","):
		c.Marks.Grouped++
	case c.Marks != nil:
		c.Marks.Whole.add(1, b, b)
	}
	c.number(b, b)
	c.Numbers++
	if point >= 0 {
		c.Points++
	}
	if integer {
		c.Integers++
	}
}

// marked returns the statistics of the numbers that are not plain.
func (c *statistic) marked() *marks {
	if c.Marks == nil {
		c.Marks = &marks{Whole: numbers{c.Numbers, c.Min, c.Max, c.Least, c.Most}}
	}
	return c.Marks
}

// number extends the range of the numbers.
func (c *statistic) number(low, high bound) {
	if c.Numbers == 0 || low.compare(bound{c.Min, c.Least}) < 0 {
		c.Min, c.Least = low.value, low.text
	}
	if c.Numbers == 0 || high.compare(bound{c.Max, c.Most}) > 0 {
		c.Max, c.Most = high.value, high.text
	}
}

func (c *statistic) date(value string) {
	if c.Dates == 0 {
		c.First, c.Last = value, value
	} else if before(value, c.First) {
		c.First = value
	} else if before(c.Last, value) {
		c.Last = value
	}
}

func before(a, b string) bool {
	x, _ := parseDate(a)
	y, _ := parseDate(b)
	return x.Before(y)
}

func (c *statistic) merge(more *statistic) {
	if more.Marks != nil {
		c.marked().merge(more.Marks)
	} else if c.Marks != nil && more.Numbers > 0 {
		c.Marks.Whole.merge(&numbers{more.Numbers, more.Min, more.Max, more.Least, more.Most})
	}
	if more.Numbers > 0 {
		c.number(bound{more.Min, more.Least}, bound{more.Max, more.Most})
	}
	if more.Dates > 0 {
		if c.Dates == 0 {
			c.First, c.Last = more.First, more.Last
		}
		if before(more.First, c.First) {
			c.First = more.First
		}
		if before(c.Last, more.Last) {
			c.Last = more.Last
		}
	}
	c.Count += more.Count
	c.Unknown += more.Unknown
	c.Integers += more.Integers
	c.Numbers += more.Numbers
	c.Dates += more.Dates
	c.Booleans += more.Booleans
	c.Missing += more.Missing
	c.Points += more.Points
}
