package pdf

import (
	"strings"
	"unicode"
)

// Subtypes, flags and field types of annotations, as numbered by PDFium.
const (
	subtypeLink   = 2
	subtypePopup  = 16
	subtypeWidget = 20

	flagHidden = 1 << 1
	flagNoView = 1 << 5

	fieldComboBox = 4
	fieldListBox  = 5
	fieldText     = 6

	fieldPassword = 1 << 13 // in the flags of a text field
)

// annotation is the text of an annotation of a page.
type annotation struct {
	text  string
	drawn bool // its appearance may contain the text
}

// construct lets PDFium construct the missing appearances of the annotations of an open page, so that they can become part
// of the content.
func (d *Document) construct(page uint64) {
	if d.form == 0 {
		// FPDF_FORMFILLINFO: a version, followed by callbacks, which are all optional without scripts and XFA.
		const size, version = 256, 1
		info := d.allocate(size) // in use until the end of the instance
		if info == 0 {
			return
		}
		copy(d.instance.Bytes(info, size), []byte{version})
		if d.form = d.instance.Call("FPDFDOC_InitFormFillEnvironment", d.handle, info); d.form == 0 {
			return
		}
	}
	d.instance.Call("FORM_OnAfterLoadPage", page, d.form)
}

// annotations returns the texts of the count annotations of an open page that are not hidden: the values of form fields,
// and the contents of notes and comments.
func (d *Document) annotations(page uint64, count int32) []annotation {
	var all []annotation
	for i := range min(count, maxAnnotations) {
		a := d.instance.Call("FPDFPage_GetAnnot", page, uint64(i))
		if a == 0 {
			continue
		}
		if found := d.annotation(a); strings.TrimSpace(found.text) != "" {
			all = append(all, found)
		}
		d.instance.Call("FPDFPage_CloseAnnot", a)
	}
	return all
}

// maxAnnotations is the maximum number of annotations of a page whose texts are read.
const maxAnnotations = 10_000

func (d *Document) annotation(a uint64) annotation {
	if d.instance.Call("FPDFAnnot_GetFlags", a)&(flagHidden|flagNoView) != 0 {
		return annotation{}
	}
	const normal = 0
	found := annotation{drawn: d.instance.Call("FPDFAnnot_GetAP", a, normal, 0, 0) > 2}
	switch d.instance.Call("FPDFAnnot_GetSubtype", a) {
	case subtypeLink, subtypePopup: // a popup displays the contents of its parent
	case subtypeWidget:
		found.text = d.value(a)
	default:
		key := d.cString("Contents")
		defer d.free(key)
		found.text = d.wide("FPDFAnnot_GetStringValue", a, key)
	}
	return found
}

// value returns the value of a text field, or the labels of the selected options of a choice field.
func (d *Document) value(a uint64) string {
	switch d.instance.Call("FPDFAnnot_GetFormFieldType", d.form, a) {
	case fieldText:
		if d.instance.Call("FPDFAnnot_GetFormFieldFlags", d.form, a)&fieldPassword != 0 {
			return ""
		}
	case fieldComboBox, fieldListBox:
		var chosen []string
		for i := range max(0, min(int32(d.instance.Call("FPDFAnnot_GetOptionCount", d.form, a)), maxAnnotations)) {
			if d.instance.Call("FPDFAnnot_IsOptionSelected", d.form, a, uint64(i)) != 0 {
				chosen = append(chosen, d.wide("FPDFAnnot_GetOptionLabel", d.form, a, uint64(i)))
			}
		}
		if len(chosen) > 0 {
			return strings.Join(chosen, "\n")
		}
	default:
		return ""
	}
	return d.wide("FPDFAnnot_GetFormFieldValue", d.form, a)
}

// missing returns the texts of annotations that a page does not contain.
func missing(page string, all []annotation) []string {
	if len(all) == 0 {
		return nil
	}
	var texts []string
	page = squeeze(page)
	for _, a := range all {
		if !a.drawn || !contains(page, a.text) {
			texts = append(texts, a.text)
		}
	}
	return texts
}

// contains reports whether a page, without white space, contains each line of a text.
func contains(page, text string) bool {
	for line := range strings.Lines(text) {
		if !strings.Contains(page, squeeze(line)) {
			return false
		}
	}
	return true
}

// squeeze removes white space, because line ends of an appearance differ from those of the value.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
