package pdf

import (
	"fmt"
	"strings"
	"time"
)

// Metadata is the metadata of a document, from its information dictionary and, for what that lacks, from its XMP packet.
// Text is unchanged except for control characters, which are removed; missing fields are empty.
type Metadata struct {
	Title, Author, Subject, Keywords string
	Creator, Producer                string // programs that created the content and the file
	Created, Modified                time.Time
	Version                          string // PDF version, such as "1.7"
	Tagged                           bool
	Encrypted                        bool // encrypted, but readable without a password
	Signatures                       int
	Attachments                      []string // names of attached files; an unnamed one is ""
	Form                             string   // "AcroForm", "XFA", or ""
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
		Attachments: d.attachments(),
	}
	switch d.instance.Call("FPDF_GetFormType", d.handle) {
	case 1:
		m.Form = "AcroForm"
	case 2, 3:
		m.Form = "XFA"
	}
	if err := d.err(nil); err != nil {
		return m, err
	}
	if err := m.addXMP(d.file, d.file.size); err != nil {
		return m, fmt.Errorf("read the document: %w", err)
	}
	return m, nil
}

// maxAttachments is the maximum number of attached files whose names are read.
const maxAttachments = 1000

func (d *Document) attachments() []string {
	var names []string
	for i := range min(int32(d.instance.Call("FPDFDoc_GetAttachmentCount", d.handle)), maxAttachments) {
		name := ""
		if a := d.instance.Call("FPDFDoc_GetAttachment", d.handle, uint64(i)); a != 0 {
			name = d.wide("FPDFAttachment_GetName", a)
		}
		names = append(names, name)
	}
	return names
}

func (d *Document) metaText(tag string) string {
	name := d.cString(tag)
	if name == 0 {
		return ""
	}
	defer d.free(name)
	return d.wide("FPDF_GetMetaText", d.handle, name)
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
	return timeIn(s, "20060102150405Z0700", "20060102150405Z", "20060102150405", "200601021504", "20060102", "200601", "2006")
}

// timeIn parses a time in the first of the layouts that it has. It returns the zero time if it has none of them.
func timeIn(s string, layouts ...string) time.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
