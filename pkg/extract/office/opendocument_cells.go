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
	o.repeat, o.from, o.value = min(count(a.get("number-columns-repeated")), maxRepeats), o.out.len(), valueOf(a)
	o.number = a.get("value")
	o.out.held++
}

// endCell writes the separator after a cell, and then the repetitions of the cell.
func (o *openDocument) endCell() error {
	defer func() { o.out.held-- }()
	o.from = min(o.from, o.out.len())
	shown := strings.TrimRight(string(o.out.since(o.from)), "\n")
	o.out.truncate(o.from + len(shown))
	if o.out.len() == o.from && o.value != "" && o.skip == 0 {
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
	defer func() { o.out.held-- }()
	if err := o.out.separate('\n'); err != nil {
		return err
	}
	shown := string(o.out.since(o.row))
	for n := 1; n < o.rows && strings.TrimSpace(shown) != ""; n++ {
		if err := o.out.add(shown); err != nil {
			return err
		}
	}
	o.rows = 0
	return nil
}
