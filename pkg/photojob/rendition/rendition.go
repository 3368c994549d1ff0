// Package rendition describes copies of a photo in another size, shape or format, such as w800-q70.webp, and signs the
// URLs under which everyone can load them.
package rendition

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/photojob"
)

// Limits of a rendition.
const (
	// MaxSide is the maximum length of a side in pixels, also if no size is given.
	MaxSide = 4096
	minSide = 1
)

// Rendition is a copy of the edited or the original photo. It is never larger than the photo.
type Rendition struct {
	Width    int               `json:"width,omitempty" minimum:"1" maximum:"4096" doc:"the maximum in pixels; a photo is never enlarged"`
	Height   int               `json:"height,omitempty" minimum:"1" maximum:"4096" doc:"the maximum in pixels"`
	Cover    bool              `json:"cover,omitempty" doc:"whether to crop the photo so that it fills width × height, which are then required"`
	Ratio    string            `json:"aspectRatio,omitempty" example:"16:9" pattern:"^[1-9][0-9]?:[1-9][0-9]?$" doc:"crops the photo to this ratio; not together with cover"`
	Gravity  operation.Gravity `json:"gravity,omitempty" enum:"center,north,northeast,east,southeast,south,southwest,west,northwest" doc:"the part that a crop keeps; default: center"`
	Quality  int               `json:"quality,omitempty" minimum:"1" maximum:"100" doc:"for jpeg and webp; default: 85 for jpeg, 80 for webp; a webp with 100 is lossless"`
	Format   string            `json:"format" enum:"jpeg,png,webp"`
	Original bool              `json:"original,omitempty" doc:"whether to show the uploaded photo, which is removed earlier than the edited one"`
}

// gravities lists the values of Gravity in names.
func gravities() []operation.Gravity {
	return []operation.Gravity{
		operation.Center, operation.North, operation.Northeast, operation.East, operation.Southeast, operation.South,
		operation.Southwest, operation.West, operation.Northwest,
	}
}

// Name returns the last element of the path of the rendition, such as w800h600-cover-north-q70.webp. Every rendition has
// one name.
func (r Rendition) Name() string {
	var parts []string
	size := ""
	if r.Width > 0 {
		size += "w" + strconv.Itoa(r.Width)
	}
	if r.Height > 0 {
		size += "h" + strconv.Itoa(r.Height)
	}
	add := func(part string, given bool) {
		if given {
			parts = append(parts, part)
		}
	}
	add(size, size != "")
	add("cover", r.Cover)
	add("c"+strings.Replace(r.Ratio, ":", "x", 1), r.Ratio != "")
	add(string(r.Gravity), r.Gravity != "" && r.Gravity != operation.Center)
	add("q"+strconv.Itoa(r.Quality), r.Quality > 0)
	add("original", r.Original)
	add("full", len(parts) == 0)
	return strings.Join(parts, "-") + "." + strings.Replace(r.Format, "jpeg", "jpg", 1)
}

var (
	sizePart    = regexp.MustCompile(`^(?:w([1-9][0-9]{0,3}))?(?:h([1-9][0-9]{0,3}))?$`)
	ratioPart   = regexp.MustCompile(`^c([1-9][0-9]?)x([1-9][0-9]?)$`)
	ratioForm   = regexp.MustCompile(`^([1-9][0-9]?):([1-9][0-9]?)$`)
	qualityPart = regexp.MustCompile(`^q([1-9][0-9]{0,2})$`)
)

// Parse returns the rendition with a name. ok is false for other names.
func Parse(name string) (r Rendition, ok bool) {
	spec, format, found := strings.Cut(name, ".")
	if !found {
		return r, false
	}
	r.Format = strings.Replace(format, "jpg", "jpeg", 1)
	for _, part := range strings.Split(spec, "-") {
		size, ratio, quality := sizePart.FindStringSubmatch(part), ratioPart.FindStringSubmatch(part), qualityPart.FindStringSubmatch(part)
		switch {
		case part == "full":
		case part == "cover":
			r.Cover = true
		case part == "original":
			r.Original = true
		case slices.Contains(gravities(), operation.Gravity(part)):
			r.Gravity = operation.Gravity(part)
		case part != "" && size != nil:
			r.Width, r.Height = number(size[1]), number(size[2])
		case ratio != nil:
			r.Ratio = ratio[1] + ":" + ratio[2]
		case quality != nil:
			r.Quality = number(quality[1])
		default:
			return r, false
		}
	}
	return r, r.Name() == name && len(r.Check()) == 0
}

// number returns the value of at most four digits, or 0 for none.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the expressions accept only digits
	return n
}

// Check returns the violations in a rendition. There are none if it can be made.
func (r Rendition) Check() []photojob.Violation {
	var found []photojob.Violation
	wrong := func(field, format string, args ...any) {
		found = append(found, photojob.Violation{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	for field, side := range map[string]int{"width": r.Width, "height": r.Height} {
		if side != 0 && (side < minSide || side > MaxSide) {
			wrong(field, "is not between %d and %d pixels", minSide, MaxSide)
		}
	}
	if formats := []string{"jpeg", "png", "webp"}; !slices.Contains(formats, r.Format) {
		wrong("format", "is not one of %s", strings.Join(formats, ", "))
	}
	if r.Quality < 0 || r.Quality > 100 || r.Quality > 0 && r.Format == "png" {
		wrong("quality", "is not between 1 and 100, or is given for png")
	}
	if r.Cover && (r.Width == 0 || r.Height == 0 || r.Ratio != "") {
		wrong("cover", "requires a width and a height, and no aspectRatio")
	}
	if w, _ := r.Shape(); r.Ratio != "" && w == 0 {
		wrong("aspectRatio", "is not a ratio such as 16:9")
	}
	switch {
	case r.Gravity != "" && !slices.Contains(gravities(), r.Gravity):
		wrong("gravity", "is not one of %v", gravities())
	case r.Gravity != "" && r.Gravity != operation.Center && !r.Cover && r.Ratio == "":
		wrong("gravity", "requires cover or an aspectRatio")
	}
	return found
}

// Shape returns the aspect ratio to which the photo is cropped, or 0, 0 if it is not cropped.
func (r Rendition) Shape() (w, h int) {
	if r.Cover {
		return r.Width, r.Height
	}
	parts := ratioForm.FindStringSubmatch(r.Ratio)
	if parts == nil {
		return 0, 0
	}
	return number(parts[1]), number(parts[2])
}
