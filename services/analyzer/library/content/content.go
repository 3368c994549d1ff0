// Package content determines the workflow of a file from its first bytes.
package content

import (
	"bytes"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/assay-project/assay/pkg/library"
)

// HeadSize is the number of bytes of a file that Detect examines.
const HeadSize = 8 << 10

// Engine is the name of the library that recognizes file types.
const Engine = "mimetype 1.4.16"

// Kind is the type of a file.
type Kind struct {
	MediaType string // without parameters, for example image/png
	Type      string // the type of the workflow: a key of library.Plans
	// Finding describes a contradiction between name and content. It is empty if they agree.
	Finding string
}

// Detect returns the kind of a file that begins with the given bytes. The content decides. If it matches
// several types, as text can, the extension decides.
func Detect(head []byte, name string) Kind {
	head = head[:min(len(head), HeadSize)]
	found := mimetype.Detect(head)
	k := Kind{MediaType: base(found)}
	ending := endings[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
	text := isText(found)
	switch certain := certainly(found, head, text); {
	case certain == "Image" && ending.kind == "Microscopy": // LSM is based on TIFF
		k.Type = ending.kind
	case certain != "":
		k.Type = certain
		if ending.kind != "" && ending.kind != certain {
			k.Finding = "the name ends in " + strings.ToLower(path.Ext(name)) + ", but the content is " + k.MediaType
		}
	case ending.kind != "" && ending.text == text:
		k.Type = ending.kind
	case ending.kind != "":
		k.Finding = "the name ends in " + strings.ToLower(path.Ext(name)) + ", but the content is " + k.MediaType
		fallthrough
	case text:
		k.Type = "Text"
	}
	k.Type = library.PlanOf(k.Type).Type // the generic workflow for kinds without their own
	return k
}

func base(m *mimetype.MIME) string {
	media, _, _ := strings.Cut(m.String(), ";")
	return media
}

func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}

// certainly returns the workflow if the content alone determines it, and "" otherwise.
func certainly(found *mimetype.MIME, head []byte, text bool) string {
	if text {
		for _, s := range signatures {
			if s.matches(head) {
				return s.kind
			}
		}
	}
	for m := found; m != nil; m = m.Parent() {
		if kind, known := media[base(m)]; known {
			return kind
		}
	}
	return ""
}

// media maps media types to the workflows that they determine.
var media = map[string]string{
	"image/jpeg": "Image", "image/png": "Image", "image/vnd.mozilla.apng": "Image", "image/gif": "Image", "image/bmp": "Image",
	"image/webp": "Image", "image/tiff": "Image", "image/svg+xml": "Image", "image/x-icon": "Image",
	"image/heic": "Image", "image/heif": "Image", "image/heic-sequence": "Image", "image/heif-sequence": "Image", "image/avif": "Image",

	"application/pdf": "Pdf",

	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "Office",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "Office",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "Office",
	"application/vnd.oasis.opendocument.text":                                   "Office",
	"application/vnd.oasis.opendocument.spreadsheet":                            "Office",
	"application/vnd.oasis.opendocument.presentation":                           "Office",
	"application/msword": "Office", "application/vnd.ms-excel": "Office", "application/vnd.ms-powerpoint": "Office", "text/rtf": "Office",

	"text/html": "WebPage",
}

// ending describes a file name extension.
type ending struct {
	kind string
	text bool // the content must be text if true, and must not be text if false
}

var endings = func() map[string]ending {
	all := map[string]ending{}
	add := func(kind string, text bool, names string) {
		for name := range strings.FieldsSeq(names) {
			all[name] = ending{kind, text}
		}
	}
	add("Image", false, "jpg jpeg png gif bmp webp tif tiff ico heic heif avif")
	add("Image", true, "svg")
	add("Pdf", false, "pdf")
	add("Office", false, "docx xlsx pptx odt ods odp doc xls ppt")
	add("Table", true, "csv tsv")
	add("Chemical", true, "sdf mol")
	add("Reaction", true, "rxn rdf")
	add("Crystal", true, "cif")
	add("Spectrum", true, "jdx dx jcamp")
	add("WebPage", true, "html htm mhtml")
	add("Microscopy", false, "lsm czi lif nd2 ims")
	add("Text", true, "txt md json xml log")
	return all
}()

// signature recognizes a text format that mimetype does not detect.
type signature struct {
	kind    string
	matches func(head []byte) bool
}

var signatures = []signature{
	{"Reaction", func(head []byte) bool { return begins(head, "$RXN") || begins(head, "$RDFILE") }},
	{"Chemical", isMolfile},
	{"Spectrum", func(head []byte) bool { return begins(head, "##TITLE=") && bytes.Contains(head, []byte("##JCAMP")) }},
	{"Crystal", func(head []byte) bool {
		return bytes.Contains(head, []byte("\n_cell_length_a")) || begins(head, "data_") && bytes.Contains(head, []byte("\n_"))
	}},
}

func begins(head []byte, with string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(with))
}

// isMolfile reports whether the fourth line is the counts line of a molfile.
func isMolfile(head []byte) bool {
	lines := bytes.SplitN(head, []byte("\n"), 5)
	if len(lines) < 4 {
		return false
	}
	counts := bytes.TrimRight(lines[3], "\r ")
	return bytes.HasSuffix(counts, []byte("V2000")) || bytes.HasSuffix(counts, []byte("V3000"))
}
