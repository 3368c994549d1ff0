package search

import "bytes"

// Pages counts the pages of a text that is written to it, and passes on the parts of one. A form feed ends a page.
type Pages struct {
	Page int               // the page whose parts are passed on; the first is 1
	Take func(part []byte) // must not keep part

	ends   int  // form feeds so far
	within bool // the last byte was not a form feed
}

// Write returns no error.
func (p *Pages) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte(pageEnd))
		if p.ends+1 == p.Page {
			p.Take(part)
		}
		if p.within = !ended; ended {
			p.ends++
		}
		rest = after
	}
	return len(text), nil
}

// Count returns the number of pages. An empty text has one.
func (p *Pages) Count() int {
	if p.within || p.ends == 0 {
		return p.ends + 1
	}
	return p.ends
}

// Divided reports whether there was a form feed.
func (p *Pages) Divided() bool { return p.ends > 0 }
