package pdf

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// Text is the text of a document.
type Text struct {
	Text       string // text of the pages, each followed by a form feed; "" if TextLimits.To receives it
	Length     int    // of the text, in bytes
	Pages      int    // number of processed pages
	Unreadable int    // number of processed pages that could not be read
	Cut        string // why the text is incomplete, for display; "" if it is complete
}

// TextLimits limits the result of Text. 0 selects the default.
type TextLimits struct {
	First int // number of the first page, counted from 0
	Pages int // number of the page at which Text ends; default: 20,000
	Bytes int // default: 8 MiB
	// To, unless it is nil, receives the text, of which Text then keeps only one page. An error of To ends Text.
	To io.Writer
	// See, unless it is nil, is called for each page, counted from 0, in order, with the positions of its words. A page that cannot be read has none.
	See func(n int, p Page)
}

// Text returns the text of the pages in reading order, with the values of form fields, and with notes and comments. A page that cannot be read
// is omitted and counted. If a page ends the instance, Text returns the text of the pages before it with the error.
func (d *Document) Text(l TextLimits) (Text, error) {
	if l.Pages == 0 {
		l.Pages = 20_000
	}
	if l.Bytes == 0 {
		l.Bytes = 8 << 20
	}
	var text Text
	var all strings.Builder
	to := l.To
	if to == nil {
		to = &all
	}
	for n := l.First; n < d.pages; n++ {
		if n == l.Pages {
			text.Cut = fmt.Sprintf("only the first %d of %d pages are read", n, d.pages)
			break
		}
		page, err := d.pageText(n, l.Bytes-text.Length, l.See != nil)
		if d.err(nil) != nil {
			break
		}
		if err != nil {
			text.Unreadable++
		}
		if l.See != nil {
			l.See(n, page.page)
		}
		if _, err := io.WriteString(to, page.text+"\f"); err != nil {
			return text, err
		}
		text.Length += len(page.text) + len("\f")
		text.Pages++
		if page.cut {
			text.Cut = fmt.Sprintf("only the first %d bytes of the text are stored", l.Bytes)
			break
		}
	}
	text.Text = all.String()
	return text, d.err(nil)
}

// HasCharacters reports whether the content of page n, counted from 0, shows characters, even if their font is missing.
func (d *Document) HasCharacters(n int) (bool, error) {
	page, err := d.openPage(n)
	if err != nil {
		return false, err
	}
	defer d.closePage(page)
	chars := d.instance.Call("FPDFText_LoadPage", page)
	if chars == 0 {
		return false, d.err(ErrPage)
	}
	defer d.instance.Call("FPDFText_ClosePage", chars)
	return int32(d.instance.Call("FPDFText_CountChars", chars)) > 0, d.err(nil)
}

type pageText struct {
	text string
	cut  bool
	page Page
}

// pageText returns the text of a page, truncated to most bytes, and the positions of its words if placed.
func (d *Document) pageText(n, most int, placed bool) (pageText, error) {
	page, notes, err := d.openFlat(n)
	if err != nil {
		return pageText{}, err
	}
	defer d.closePage(page)
	chars := d.instance.Call("FPDFText_LoadPage", page)
	if chars == 0 {
		return pageText{}, d.err(ErrPage)
	}
	defer d.instance.Call("FPDFText_ClosePage", chars)
	count := int(int32(d.instance.Call("FPDFText_CountChars", chars)))
	if count < 0 {
		return pageText{}, d.err(ErrPage)
	}
	count = min(count, most+1)
	buffer := d.allocate(2 * uint64(count+1))
	if buffer == 0 {
		return pageText{}, d.err(ErrPage)
	}
	defer d.free(buffer)
	// The result includes the terminator.
	got := int(int32(d.instance.Call("FPDFText_GetText", chars, 0, uint64(count), buffer)))
	units := min(max(got-1, 0), count)
	arranged, err := d.arrange(page, chars, count)
	if err != nil {
		return pageText{}, err
	}
	var found pageText
	found.text, found.page.Runs = d.ordered(chars, d.instance.Bytes(buffer, 2*uint64(units)), arranged, placed && count <= maxBoxes)
	if err := d.err(nil); err != nil {
		return pageText{}, err
	}
	for _, note := range missing(found.text, notes) {
		found.text += "\n" + note
		if found.page.Runs != nil {
			found.page.Runs = append(found.page.Runs, Run{Text: "\n" + note})
		}
	}
	if found.cut = len(found.text) > most; found.cut {
		found.text, found.page.Runs = strings.ToValidUTF8(found.text[:most], ""), cut(found.page.Runs, most)
	}
	if !placed {
		return found, d.err(nil)
	}
	size, err := d.pageSize(page)
	if err != nil {
		found.page.Runs = nil
	}
	found.page.Width, found.page.Height = size.Width, size.Height
	return found, d.err(nil)
}

// openFlat opens a page and makes its annotations, such as form fields, part of its content. It also returns their texts.
func (d *Document) openFlat(n int) (page uint64, notes []annotation, err error) {
	if page, err = d.openPage(n); err != nil {
		return 0, nil, err
	}
	count := int32(d.instance.Call("FPDFPage_GetAnnotCount", page))
	if count <= 0 {
		return page, nil, d.err(nil)
	}
	d.construct(page)
	notes = d.annotations(page, count)
	const normalDisplay, success = 0, 1
	if d.instance.Call("FPDFPage_Flatten", page, normalDisplay) != success {
		return page, notes, d.err(nil)
	}
	d.closePage(page)
	page, err = d.openPage(n)
	return page, notes, err
}

func (d *Document) closePage(page uint64) {
	if d.form != 0 {
		d.instance.Call("FORM_OnBeforeClosePage", page, d.form)
	}
	d.instance.Call("FPDF_ClosePage", page)
}

// displayed reports whether a character of PDFium belongs to the text.
func displayed(r rune) bool {
	return r == '\n' || r == '\t' || r >= 0x20 && r != 0x7f && r != 0xfffe && r != 0xffff
}

// utf16Text decodes UTF-16LE and inserts a space before each unit whose index is in breaks. Line ends become "\n".
// Other control characters, and the marks that PDFium writes where it has removed a hyphen, are dropped.
func utf16Text(b []byte, breaks []int) string {
	var out strings.Builder
	out.Grow(len(b) / 2)
	from := 0
	for _, at := range append(breaks, len(b)/2) {
		if at = min(at, len(b)/2); at < from {
			continue
		}
		if from > 0 {
			out.WriteByte(' ')
		}
		units := make([]uint16, 0, at-from)
		for i := from; i < at; i++ {
			units = append(units, uint16(b[2*i])|uint16(b[2*i+1])<<8)
		}
		for _, r := range utf16.Decode(units) {
			if displayed(r) {
				out.WriteRune(r)
			}
		}
		from = at
	}
	return out.String()
}
