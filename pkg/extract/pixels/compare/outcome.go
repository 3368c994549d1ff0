package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// outcome is the result of a comparison. See the package comment.
type outcome string

const (
	equal     outcome = "equal"
	told      outcome = "told"
	different outcome = "different"
	damaged   outcome = "damaged"
	refused   outcome = "refused"
	extra     outcome = "extra"
	neither   outcome = "neither"
)

// result describes the comparison of a picture. Fields that do not apply are empty.
type result struct {
	outcome    outcome
	reference  string // the program that the outcome refers to
	difference string
	reason     string
}

// compare decodes a picture and compares it with the references. Its error is that of ctx or of the machine.
func (c comparer) compare(ctx context.Context, path string, data []byte, format string) (result, error) {
	ours, remarks, failure := c.decode(ctx, data)
	first, _, err := c.reference(data, "vips", func() (*image.NRGBA, string, error) {
		m, err := c.tools.vips(ctx, path)
		return m, "vips", err
	})
	if err != nil {
		return result{}, err
	}
	r := judge(ours, remarks, failure, first, "vips")
	if r.outcome == equal {
		return r, nil
	}
	second, program, err := c.reference(data, second[format], func() (*image.NRGBA, string, error) { return c.tools.second(ctx, path, format) })
	if err != nil {
		return result{}, err
	}
	if s := judge(ours, remarks, failure, second, program); s.outcome == equal || first == nil && second != nil {
		r = s
	}
	if r.outcome == refused && r.reference == "vips" {
		intact, err := c.tools.intact(ctx, path)
		if err != nil {
			return result{}, err
		}
		if !intact {
			r.outcome = damaged
		}
	}
	return r, nil
}

// reference returns the cached result of a program, or runs it.
func (c comparer) reference(data []byte, program string, run func() (*image.NRGBA, string, error)) (*image.NRGBA, string, error) {
	file := c.cache.file(data, program)
	m, found, err := c.cache.get(file)
	if found || err != nil {
		return m, program, err
	}
	if m, program, err = run(); err != nil || program == "" { // no program
		return nil, "", err
	}
	return m, program, c.cache.put(file, m)
}

// decode returns the pixels of a picture with the remarks of the decoder, or its error.
func (c comparer) decode(ctx context.Context, data []byte) (*image.NRGBA, string, error) {
	picture, release, err := c.decoder.Decode(ctx, data, c.limits)
	if err != nil {
		return nil, "", err
	}
	defer release()
	remarks := strings.Join(picture.Remarks, "; ")
	info, err := pixels.Inspect(data, c.limits)
	if err != nil || len(info.Profile) < 20 || string(info.Profile[16:20]) != "GRAY" {
		return picture.NRGBA(), remarks, nil
	}
	encoded, err := picture.Encode(pixels.Encoding{Format: pixels.PNG}) // NRGBA applies a profile for gray
	if err != nil {
		return nil, "", err
	}
	m, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		return nil, "", err
	}
	return asNRGBA(m), remarks, nil
}

func judge(ours *image.NRGBA, remarks string, failure error, reference *image.NRGBA, program string) result {
	switch {
	case failure != nil && reference == nil:
		return result{outcome: neither, reason: clean(failure.Error())}
	case failure != nil:
		return result{outcome: refused, reference: program, reason: clean(failure.Error())}
	case reference == nil:
		return result{outcome: extra, reason: remarks}
	}
	r := result{outcome: different, reference: program, reason: remarks}
	if a, b := ours.Rect.Size(), reference.Rect.Size(); a != b {
		r.difference = fmt.Sprintf("%v, not %v", a, b)
	} else {
		d := differenceOf(ours, reference)
		r.difference = d.String()
		if d.small() {
			r.outcome = equal
		}
	}
	if r.outcome == different && remarks != "" {
		r.outcome = told
	}
	return r
}

func clean(s string) string { return strings.Join(strings.Fields(s), " ") }

// table prints the number of pictures by format and outcome. The share is that of the equal pictures among those that a
// reference reads.
func (c comparer) table() {
	columns := []outcome{equal, told, different, damaged, refused, extra, neither}
	fmt.Fprintf(c.out, "\n%-8s", "format")
	for _, o := range columns {
		fmt.Fprintf(c.out, "%10s", o)
	}
	fmt.Fprintf(c.out, "%10s\n", "share")
	total := map[outcome]int{}
	for _, format := range slices.Sorted(maps.Keys(c.counts)) {
		for o, n := range c.counts[format] {
			total[o] += n
		}
		c.row(format, columns, c.counts[format])
	}
	c.row("all", columns, total)
}

func (c comparer) row(name string, columns []outcome, counts map[outcome]int) {
	fmt.Fprintf(c.out, "%-8s", name)
	for _, o := range columns {
		fmt.Fprintf(c.out, "%10d", counts[o])
	}
	read := counts[equal] + counts[told] + counts[different] + counts[damaged] + counts[refused]
	fmt.Fprintf(c.out, "%9.2f%%\n", 100*float64(counts[equal])/float64(max(read, 1)))
}
