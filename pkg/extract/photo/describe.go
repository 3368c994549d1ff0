package photo

import (
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/faces"
)

// Thresholds for labels. docs/photos.md describes how they were chosen.
const (
	blurry     = 40   // photos below this sharpness are blurry
	lowLight   = 60   // photos below this median brightness are dark
	overlit    = 225  // photos above this median brightness are overexposed
	monochrome = 0.99 // minimum share of colorless pixels
	lowSpread  = 60   // photos below this difference between the 5th and 95th percentiles have low contrast
)

// describe returns the labels, by kind and in descending order of confidence, and a description. The facts and faces
// are those of a copy of the photo of the given size.
func describe(f facts, found []faces.Face, width, height int) ([]Label, string) {
	var labels []Label
	add := func(name string, confidence float64) {
		labels = append(labels, Label{Name: name, Confidence: float64(int(min(max(confidence, 0.01), 1)*100+0.5)) / 100})
	}
	document := f.paper > 0.6 && f.ink > 0.01 && f.ink < 0.3 && f.sharpness > 200
	kind, gray := "photo", f.gray >= monochrome
	switch {
	case document:
		kind = "picture that looks like a document"
		add("document_like", f.paper+f.ink)
	case len(found) == 1 && found[0].Box.Dy()*5 >= min(width, height):
		kind = "portrait"
		add("portrait", found[0].Confidence)
	case len(found) == 1:
		kind = "photo of a face"
		add("face", found[0].Confidence)
	case len(found) > 1:
		kind = fmt.Sprintf("photo of %d faces", len(found))
		add("faces", found[0].Confidence)
	}
	if gray {
		add("monochrome", f.gray)
	}
	light := ""
	switch {
	case f.median < lowLight:
		light = "dark"
		add("low_light", max(f.night, 0.5))
	case f.median > overlit && !document:
		light = "very bright"
		add("overexposed", float64(f.median)/255)
	case f.light-f.dark < lowSpread:
		light = "of low contrast"
	}
	focus := "sharp"
	if f.sharpness < blurry {
		focus = "blurry"
		add("blurry", 1-float64(f.sharpness)/(2*blurry))
	}
	var colors []string
	for _, c := range f.colors {
		colors = append(colors, c.name)
		if !gray {
			add(c.name, c.part)
		}
	}
	return labels, sentence(kind, orientation(width, height), light, focus, gray, colors)
}

func orientation(width, height int) string {
	switch {
	case width*10 > height*11:
		return "landscape"
	case height*10 > width*11:
		return "upright"
	}
	return "square"
}

func sentence(kind, shape, light, focus string, gray bool, colors []string) string {
	first := "A"
	if shape == "upright" {
		first = "An"
	}
	looks := focus
	if light != "" {
		looks = light + " and " + focus
	}
	text := fmt.Sprintf("%s %s %s, %s", first, shape, kind, looks)
	switch {
	case gray:
		return text + ", in black and white."
	case len(colors) == 0:
		return text + "."
	case len(colors) == 1:
		return text + ", mostly " + colors[0] + "."
	}
	return text + ", mostly " + strings.Join(colors[:len(colors)-1], ", ") + " and " + colors[len(colors)-1] + "."
}
