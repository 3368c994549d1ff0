package molecule

import (
	"bytes"
	"fmt"
	"html"
)

// SVG draws the reaction: the reactants, an arrow below the agents, and the products. It returns the errors of
// Molecule.SVG.
func (x *Reaction) SVG() ([]byte, error) {
	var body bytes.Buffer
	at, height := 0.0, 60.0
	var all []*drawing
	var pluses []float64
	place := func(molecules []*Molecule) error {
		for i, m := range molecules {
			d, err := m.layout()
			if err != nil {
				return err
			}
			if i > 0 {
				pluses = append(pluses, at+8)
				at += 16
			}
			all = append(all, d)
			d.left = at
			at += d.width
			height = max(height, d.height)
		}
		return nil
	}
	if err := place(x.Reactants); err != nil {
		return nil, err
	}
	arrow := at + 10
	at += 80
	if err := place(x.Products); err != nil {
		return nil, err
	}
	open(&body, at, height)
	for _, d := range all {
		fmt.Fprintf(&body, `<g transform="translate(%.1f %.1f)">`, d.left, (height-d.height)/2)
		d.draw(&body)
		body.WriteString("</g>\n")
	}
	for _, plus := range pluses {
		fmt.Fprintf(&body, `<text x="%.1f" y="%.1f" font-size="20" text-anchor="middle">+</text>`, plus, height/2+7)
	}
	fmt.Fprintf(&body, `<path d="M%.1f %.1fh60m-8 -5l8 5l-8 5"/>`, arrow, height/2)
	for i, m := range x.Agents {
		c, _, reason := m.Composition()
		if reason == "" && i < 3 {
			fmt.Fprintf(&body, `<text x="%.1f" y="%.1f" font-size="10" text-anchor="middle">%s</text>`, arrow+30, height/2-8-11*float64(i), html.EscapeString(c.Formula()))
		}
	}
	body.WriteString("</svg>\n")
	return body.Bytes(), nil
}
