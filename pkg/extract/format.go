package extract

import (
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Type is a type of files. Files of a type are processed by the same steps.
type Type string

// The types. Their names are stored with files.
const (
	Generic    Type = "Generic" // any other file
	Image      Type = "Image"
	PDF        Type = "Pdf"
	Office     Type = "Office"
	WebPage    Type = "WebPage"
	Text       Type = "Text"
	Table      Type = "Table"
	Chemical   Type = "Chemical"
	Reaction   Type = "Reaction"
	Crystal    Type = "Crystal"
	Spectrum   Type = "Spectrum"
	Microscopy Type = "Microscopy"
	Contact    Type = "Contact"
)

// Format describes the files of a type: how they are recognized, what is read from them, and how they are shown.
type Format struct {
	Type  Type
	Title string // for users, in the singular or plural, as in "a list of Molecules"
	// Media are the media types that determine the type whatever the file is called.
	Media []string
	// Endings are the extensions of names of files whose content does not determine the type. Those in Text are for files
	// with text, and those in Binary for others.
	Endings Endings
	// Signature reports whether a text that begins with head is of the type. It is nil if media types are sufficient.
	Signature func(head []byte) bool
	// Blank means that an empty file is a valid file of the type.
	Blank bool
	// Records are the formats of the records in the files. It is nil for types without records, and for tables.
	Records []records.Format
	Steps   []Step
	// Sequential means that each step needs the result of the previous one; otherwise they run in parallel.
	Sequential bool
	Preview    Preview
	// Contents describes what is read from the files, for the documentation.
	Contents Contents
}

// Endings are extensions of file names, in lower case and without the dot.
type Endings struct{ Text, Binary []string }

// Contents describes what is read from files.
type Contents struct{ Formats, Text, Picture, Metadata string }

// Preview determines how a program shows files.
type Preview string

// The previews. A file without the content for its preview is shown as its picture, if it has one.
const (
	PreviewNone     Preview = "none"
	PreviewPicture  Preview = "picture"
	PreviewText     Preview = "text"
	PreviewDocument Preview = "document" // the picture of the first page, and the text
	PreviewArticle  Preview = "article"  // the text with the title and the picture of a web page
	PreviewRows     Preview = "rows"
	PreviewDrawings Preview = "drawings" // of records
	PreviewCurves   Preview = "curves"   // drawings of records that need space
)

// Of returns the format with a type, or that of Generic for an unknown type.
func Of(t Type) Format {
	all := formats()
	if i := slices.IndexFunc(all, func(f Format) bool { return f.Type == t }); i >= 0 {
		return all[i]
	}
	return all[0]
}

// RecordFormat returns the format of the records in a file of the type that begins with head. ok is false if such files
// have no records, or are tables.
func (f Format) RecordFormat(head []byte) (found records.Format, ok bool) {
	i := slices.IndexFunc(f.Records, func(r records.Format) bool { return r.Matches(head) })
	if i < 0 {
		return found, false
	}
	return f.Records[i], true
}

// RecordFormats returns the formats of records of all types.
func RecordFormats() []records.Format {
	var all []records.Format
	for _, f := range formats() {
		all = append(all, f.Records...)
	}
	return all
}

// FindRecordFormat returns the format of records with a name or file name extension, such as sdf, and whether there is one.
func FindRecordFormat(name string) (found records.Format, ok bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	all := RecordFormats()
	i := slices.IndexFunc(all, func(r records.Format) bool { return r.Name == name })
	if i < 0 {
		return found, false
	}
	return all[i], true
}
