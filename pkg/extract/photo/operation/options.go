package operation

import "slices"

// Options are requests besides the steps. A zero value means no request.
type Options struct {
	Format        string // see Step.Format
	Quality       int    // 1 to 100
	Width, Height int    // the maximum size in pixels
	AspectRatio   string // for example 3:2
	Operations    []Step // valid steps to apply after the others
}

// Complete appends the operations, then a step for each option, unless steps has one of the same operation. unknown lists
// the options that are not valid.
func (o Options) Complete(steps []Step) (all []Step, unknown []string) {
	steps = slices.Concat(steps, o.Operations)
	named := map[Op]bool{}
	for _, s := range steps {
		named[s.Op] = true
	}
	if o.AspectRatio != "" && !named[Crop] {
		if ratio, err := ParseRatio(o.AspectRatio); err == nil {
			steps = append(steps, Step{Op: Crop, Ratio: ratio})
		} else {
			unknown = append(unknown, "aspect ratio "+o.AspectRatio)
		}
	}
	if (o.Width > 0 || o.Height > 0) && !named[Resize] {
		steps = append(steps, Step{Op: Resize, Width: o.Width, Height: o.Height})
	}
	if (o.Format != "" || o.Quality > 0) && !named[Format] {
		steps = append(steps, Step{Op: Format, Format: o.Format, Quality: o.Quality})
	}
	return steps, unknown
}
