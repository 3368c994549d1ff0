package office

import "strings"

// valueOf returns the value of a cell as its attributes state it.
func valueOf(a attributes) string {
	for _, name := range []string{"string-value", "date-value", "time-value", "boolean-value"} {
		if value := a.get(name); value != "" {
			return value
		}
	}
	return a.get("value")
}

// startCell handles the start tag of a cell.
func (o *openDocument) startCell(a attributes) {
	o.repeat, o.from, o.value = min(count(a.get("number-columns-repeated")), maxRepeats), o.out.b.Len(), valueOf(a)
	o.number = a.get("value")
}

// endCell writes the separator after a cell, and then the repetitions of the cell.
func (o *openDocument) endCell() error {
	o.from = min(o.from, o.out.b.Len())
	shown := strings.TrimRight(string(o.out.b.Bytes()[o.from:]), "\n")
	o.out.b.Truncate(o.from + len(shown))
	if shown == "" && o.value != "" && o.skip == 0 {
		shown = o.value
		if err := o.out.add(shown); err != nil {
			return err
		}
	}
	if o.skip == 0 {
		o.parts.number(o.number, shown)
	}
	if err := o.out.separate('\t'); err != nil {
		return err
	}
	for n := 1; n < o.repeat && shown != ""; n++ {
		if err := o.out.add(shown + "\t"); err != nil {
			return err
		}
	}
	o.repeat = 0
	return nil
}

// endRow ends the line of a row, and writes its repetitions.
func (o *openDocument) endRow() error {
	if err := o.out.separate('\n'); err != nil {
		return err
	}
	shown := string(o.out.b.Bytes()[min(o.row, o.out.b.Len()):])
	for n := 1; n < o.rows && strings.TrimSpace(shown) != ""; n++ {
		if err := o.out.add(shown); err != nil {
			return err
		}
	}
	o.rows = 0
	return nil
}
