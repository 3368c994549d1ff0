package pdf

import (
	"strings"
	"time"
)

// Metadata is the metadata of a document. Text is unchanged except for control characters, which are removed;
// missing fields are empty.
type Metadata struct {
	Title, Author, Subject, Keywords string
	Creator, Producer                string // programs that created the content and the file
	Created, Modified                time.Time
	Version                          string // PDF version, such as "1.7"
	Tagged                           bool
	Encrypted                        bool // encrypted, but readable without a password
	Signatures, Attachments          int
	Form                             string // "AcroForm", "XFA", or ""
}

// Metadata returns the metadata of the document.
func (d *Document) Metadata() (Metadata, error) {
	m := Metadata{
		Title: d.metaText("Title"), Author: d.metaText("Author"), Subject: d.metaText("Subject"), Keywords: d.metaText("Keywords"),
		Creator: d.metaText("Creator"), Producer: d.metaText("Producer"),
		Created: parseDate(d.metaText("CreationDate")), Modified: parseDate(d.metaText("ModDate")),
		Version:     d.version(),
		Tagged:      d.instance.Call("FPDFCatalog_IsTagged", d.handle) != 0,
		Encrypted:   int32(d.instance.Call("FPDF_GetSecurityHandlerRevision", d.handle)) >= 0,
		Signatures:  max(0, int(int32(d.instance.Call("FPDF_GetSignatureCount", d.handle)))),
		Attachments: max(0, int(int32(d.instance.Call("FPDFDoc_GetAttachmentCount", d.handle)))),
	}
	switch d.instance.Call("FPDF_GetFormType", d.handle) {
	case 1:
		m.Form = "AcroForm"
	case 2, 3:
		m.Form = "XFA"
	}
	return m, d.err(nil)
}

// longestMeta is the maximum length of one metadata text, in bytes of UTF-16.
const longestMeta = 64 << 10

func (d *Document) metaText(tag string) string {
	name := d.allocate(uint64(len(tag)) + 1)
	if name == 0 {
		return ""
	}
	defer d.free(name)
	copy(d.instance.Bytes(name, uint64(len(tag))), tag)
	size := d.instance.Call("FPDF_GetMetaText", d.handle, name, 0, 0) // includes the terminator
	if size <= 2 || size > longestMeta {
		return ""
	}
	buffer := d.allocate(size)
	if buffer == 0 {
		return ""
	}
	defer d.free(buffer)
	d.instance.Call("FPDF_GetMetaText", d.handle, name, buffer, size)
	return strings.TrimSpace(utf16Text(d.instance.Bytes(buffer, size-2), nil))
}

func (d *Document) version() string {
	at := d.allocate(4)
	if at == 0 {
		return ""
	}
	defer d.free(at)
	if d.instance.Call("FPDF_GetFileVersion", d.handle, at) == 0 {
		return ""
	}
	b := d.instance.Bytes(at, 4)
	if b == nil || b[1]|b[2]|b[3] != 0 || b[0] > 99 {
		return ""
	}
	return string([]byte{'0' + b[0]/10, '.', '0' + b[0]%10})
}

// parseDate parses a PDF date such as "D:20261122103000+01'00'", or a prefix of one (ISO 32000-1, section 7.9.4). It
// returns the zero time for an invalid date.
func parseDate(s string) time.Time {
	s = strings.ReplaceAll(strings.TrimPrefix(s, "D:"), "'", "")
	if utc, _, found := strings.Cut(s, "Z"); found { // some dates have an offset after the Z
		s = utc + "Z"
	}
	for _, layout := range []string{"20060102150405Z0700", "20060102150405Z", "20060102150405", "200601021504", "20060102", "200601", "2006"} {
		if len(s) >= len("2006") {
			if t, err := time.Parse(layout, s); err == nil {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}
