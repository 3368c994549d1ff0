package extract

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/assay-project/assay/pkg/extract/mhtml"
)

// HeadSize is the number of bytes of a file that Detect examines.
const HeadSize = 8 << 10

// Kind is the result of Detect.
type Kind struct {
	MediaType string // without parameters, for example image/png
	Type      Type
	// Finding describes a contradiction between name and content. It is empty if they agree.
	Finding string
}

// Detect returns the kind of a file that begins with the given bytes. The content decides. If it matches
// several types, as text can, the extension decides; it also decides for an empty file.
func Detect(head []byte, name string) Kind {
	head = head[:min(len(head), HeadSize)]
	found := mimetype.Detect(head)
	k := Kind{MediaType: base(found), Type: Generic}
	text := isText(found)
	if text && mhtml.Matches(head) {
		k.MediaType = mhtml.Type
	}
	ending := strings.ToLower(path.Ext(name))
	named, namesText := byEnding(strings.TrimPrefix(ending, "."))
	if len(head) == 0 {
		k.Type = cmp.Or(named, Text)
		return k
	}
	contradiction := "the name ends in " + ending + ", but the content is " + k.MediaType
	switch certain := byContent(found, head, text); {
	case certain == Image && named == Microscopy: // LSM is based on TIFF
		k.Type = named
	case certain != "":
		k.Type = certain
		if named != "" && named != certain {
			k.Finding = contradiction
		}
	case named != "" && namesText == text:
		k.Type = named
	case named != "":
		k.Finding = contradiction
		fallthrough
	case text:
		k.Type = Text
	}
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

// byContent returns the type that the content alone determines, or "".
func byContent(found *mimetype.MIME, head []byte, text bool) Type {
	if text {
		for _, f := range formats() {
			if f.Signature != nil && f.Signature(head) {
				return f.Type
			}
		}
	}
	for m := found; m != nil; m = m.Parent() {
		for _, f := range formats() {
			if slices.Contains(f.Media, base(m)) {
				return f.Type
			}
		}
	}
	return ""
}

// byEnding returns the type of files whose name has an extension, or "", and whether their content is text.
func byEnding(ending string) (found Type, text bool) {
	for _, f := range formats() {
		if slices.Contains(f.Endings.Text, ending) {
			return f.Type, true
		}
		if slices.Contains(f.Endings.Binary, ending) {
			return f.Type, false
		}
	}
	return "", false
}
