package office

import (
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/numberformat"
)

// maxFormatCode is the maximum length of a number format in a chart. Excel allows 255 characters.
const maxFormatCode = 1 << 10

// readChart reads the titles of a chart and the names, categories and values of its series, as displayed.
func (p *parts) readChart(part string) error {
	title, err := p.automaticTitle(part)
	if err != nil {
		return err
	}
	if err := p.out.add(title); err != nil {
		return err
	}
	if err := p.out.separate('\n'); err != nil {
		return err
	}
	var in, code, numbers bool
	var value strings.Builder
	var format numberformat.Format
	return p.walk(part, events{
		start: func(name string, _ attributes) error {
			switch name {
			case "numCache":
				numbers, format = true, numberformat.Format{}
			case "formatCode":
				code = true
				value.Reset()
			case "t", "v":
				in = true
				value.Reset()
			}
			return nil
		},
		text: func(s []byte) error {
			if in && value.Len() < maxHeld || code && value.Len() < maxFormatCode {
				value.Write(s)
			}
			return nil
		},
		end: func(name string) error {
			switch name {
			case "numCache":
				numbers = false
			case "formatCode":
				code, format = false, numberformat.Parse(value.String())
			case "t", "v":
				in = false
				shown := value.String()
				if n, err := strconv.ParseFloat(shown, 64); numbers && err == nil {
					shown = format.Number(n, false)
				}
				return p.out.add(shown)
			case "pt":
				return p.out.separate(' ')
			case "p", "ser", "title", "text", "tx":
				return p.out.separate('\n')
			}
			return nil
		},
	})
}

// automaticTitle returns the title that Office displays for a chart whose title has no text: the name of its only series,
// or "Chart Title". It returns "" for other charts.
func (p *parts) automaticTitle(part string) (string, error) {
	var name strings.Builder // of the first series
	var titled, written, deleted, in bool
	depth, chart, title, label, series := 0, 0, 0, 0, 0 // chart, title and label are the depths of open elements, or 0
	err := p.walk(part, events{
		start: func(element string, a attributes) error {
			depth++
			switch element {
			case "chart":
				chart = depth
			case "title":
				if depth == chart+1 {
					titled, title = true, depth
				}
			case "autoTitleDeleted":
				deleted = a.get("val") != "0" && a.get("val") != "false"
			case "ser":
				series++
			case "tx":
				if series == 1 && label == 0 {
					label = depth
				}
			case "t", "v":
				written = written || title > 0
				in = label > 0
			}
			return nil
		},
		text: func(s []byte) error {
			if in && name.Len() < maxFormatCode {
				name.Write(s)
			}
			return nil
		},
		end: func(string) error {
			in = false
			if depth == title {
				title = 0
			}
			if depth == label {
				label = -1 // the others are not the name
			}
			depth--
			return nil
		},
	})
	switch {
	case err != nil || !titled || written || deleted:
		return "", err
	case series == 1 && name.Len() > 0:
		return name.String(), nil
	}
	return "Chart Title", nil
}
