package wasmtest

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// PDF describes a PDF document. Texts must be ASCII without parentheses or backslashes.
type PDF struct {
	Title    string
	Pages    []string          // lines of text, in Helvetica; ignored if Contents is set
	Fields   map[string]string // text fields of the first page, with their appearance
	Contents string            // content of every page, instead of its lines
	Entries  string            // further entries of every page, such as /Rotate 90
	Forms    []string          // contents of the form XObjects X0, X1, …, which can use each other and the patterns
	// Annotation holds the entries of an annotation of the first page, which is also a field of the form if it is a widget.
	Annotation      string
	NeedAppearances bool     // the reader constructs the appearances of the fields
	Attachments     []string // names of attached files, which are empty
	XMP             string   // XMP packet of the document; an empty one is left out
	Patterns        []string // contents of the cells of the tiling patterns P0, P1, …, which can use the forms
	// Encrypted means that the document is encrypted. Password is its user password, which can be
	// empty.
	Encrypted bool
	Password  string
}

// DrawsFirstForm is a page that draws the form X0 instead of lines of text.
const DrawsFirstForm = "/X0 Do"

// Bytes returns the document as PDF 1.4.
func (p PDF) Bytes() []byte {
	w := pdfWriter{}
	if p.Encrypted {
		w.encrypt(p.Password)
	}
	const catalog, pages, font, info, resources = 1, 2, 3, 4, 5
	next := resources + 1
	number := func() int { next++; return next - 1 }
	var xobjects strings.Builder
	for i, form := range p.Forms {
		n := number()
		fmt.Fprintf(&xobjects, "/X%d %d 0 R ", i, n)
		w.stream(n, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources %d 0 R", resources), form)
	}
	var patterns strings.Builder
	for i, cell := range p.Patterns {
		n := number()
		fmt.Fprintf(&patterns, "/P%d %d 0 R ", i, n)
		w.stream(n, fmt.Sprintf("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 225 161] /XStep 225 /YStep 161 /Resources %d 0 R", resources), cell)
	}
	var fields []string
	for name, value := range p.Fields {
		appearance, field := number(), number()
		w.stream(appearance, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 300 20] /Resources %d 0 R", resources),
			fmt.Sprintf("BT /F1 12 Tf 2 5 Td (%s) Tj ET", value))
		w.object(field, fmt.Sprintf("<< /Type /Annot /Subtype /Widget /FT /Tx /F 4 /T %s /V %s /Rect [72 %d 372 %d] /AP << /N %d 0 R >> >>",
			w.text(field, name), w.text(field, value), 100+30*len(fields), 120+30*len(fields), appearance))
		fields = append(fields, fmt.Sprintf("%d 0 R", field))
	}
	annotations := slices.Clone(fields)
	if p.Annotation != "" {
		n := number()
		w.object(n, fmt.Sprintf("<< /Type /Annot %s >>", p.Annotation))
		annotations = append(annotations, fmt.Sprintf("%d 0 R", n))
		if strings.Contains(p.Annotation, "/Widget") {
			fields = append(fields, fmt.Sprintf("%d 0 R", n))
		}
	}
	var files strings.Builder
	for _, name := range p.Attachments {
		file, specification := number(), number()
		w.stream(file, "/Type /EmbeddedFile", "")
		w.object(specification, fmt.Sprintf("<< /Type /Filespec /F (%s) /UF (%s) /EF << /F %d 0 R >> >>", name, name, file))
		fmt.Fprintf(&files, "(%s) %d 0 R ", name, specification)
	}
	metadata := ""
	if p.XMP != "" {
		n := number()
		w.stream(n, "/Type /Metadata /Subtype /XML", p.XMP)
		metadata = fmt.Sprintf("/Metadata %d 0 R", n)
	}
	var kids []string
	for i, text := range p.Pages {
		contents, page := number(), number()
		annots := ""
		if i == 0 && len(annotations) > 0 {
			annots = fmt.Sprintf("/Annots [%s]", strings.Join(annotations, " "))
		}
		w.stream(contents, "", p.contents(text))
		w.object(page, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources %d 0 R %s %s >>", pages, contents, resources, annots, p.Entries))
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	form := ""
	if len(fields) > 0 {
		form = fmt.Sprintf("/AcroForm << /Fields [%s] /NeedAppearances %t /DA (/F1 12 Tf 0 g) /DR << /Font << /F1 %d 0 R >> >> >>", strings.Join(fields, " "), p.NeedAppearances, font)
	}
	w.object(catalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Names << /EmbeddedFiles << /Names [%s] >> >> %s %s >>", pages, files.String(), form, metadata))
	w.object(pages, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids)))
	w.object(font, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	w.object(info, fmt.Sprintf("<< /Title %s /CreationDate %s >>", w.text(info, p.Title), w.text(info, "D:20261122103000+01'00'")))
	w.object(resources, fmt.Sprintf("<< /Font << /F1 %d 0 R >> /XObject << %s>> /Pattern << %s>> >>", font, xobjects.String(), patterns.String()))
	return w.end(catalog, info)
}

func (p PDF) contents(text string) string {
	if p.Contents != "" {
		return p.Contents
	}
	if text == DrawsFirstForm {
		return text
	}
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 14 TL 72 720 Td\n")
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.TrimSuffix(line, "\n"))
	}
	b.WriteString("ET")
	return b.String()
}

// pdfWriter writes the objects of a document (ISO 32000-1, section 7.5).
type pdfWriter struct {
	bytes.Buffer
	at          map[int]int
	key         []byte // encryption key, or nil
	owner, user []byte
}

var pdfID = []byte("0123456789abcdef")

// pdfPadding pads passwords (section 7.6.3.3).
var pdfPadding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

func rc4With(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // unreachable: the key has 5 or 10 bytes
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// encrypt sets the 40-bit keys of the standard security handler, revision 2.
func (w *pdfWriter) encrypt(password string) {
	padded := append([]byte(password), pdfPadding...)[:32]
	ownerKey := md5.Sum(append([]byte("owner"), pdfPadding...)[:32])
	w.owner = rc4With(ownerKey[:5], padded)
	sum := md5.Sum(append(append(binary.LittleEndian.AppendUint32(append(padded[:32:32], w.owner...), 0xfffffffc), pdfID...), []byte{}...))
	w.key = sum[:5]
	w.user = rc4With(w.key, pdfPadding)
}

// encode encrypts data of an object if the document is encrypted.
func (w *pdfWriter) encode(object int, data []byte) []byte {
	if w.key == nil {
		return data
	}
	sum := md5.Sum(append(w.key[:5:5], byte(object), byte(object>>8), byte(object>>16), 0, 0))
	return rc4With(sum[:10], data)
}

func (w *pdfWriter) text(object int, s string) string {
	return fmt.Sprintf("<%x>", w.encode(object, []byte(s)))
}

func (w *pdfWriter) object(number int, body string) {
	if w.at == nil {
		w.at = map[int]int{}
		w.WriteString("%PDF-1.4\n")
	}
	w.at[number] = w.Len()
	fmt.Fprintf(w, "%d 0 obj\n%s\nendobj\n", number, body)
}

func (w *pdfWriter) stream(number int, entries, content string) {
	data := w.encode(number, []byte(content))
	w.object(number, fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data))
}

func (w *pdfWriter) end(catalog, info int) []byte {
	encryption := ""
	if w.key != nil {
		encryption = fmt.Sprintf("/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x> >>", w.owner, w.user)
	}
	start := w.Len()
	fmt.Fprintf(w, "xref\n0 %d\n0000000000 65535 f \n", len(w.at)+1)
	for n := 1; n <= len(w.at); n++ {
		fmt.Fprintf(w, "%010d 00000 n \n", w.at[n])
	}
	fmt.Fprintf(w, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /ID [<%x> <%x>] %s >>\nstartxref\n%d\n%%%%EOF\n", len(w.at)+1, catalog, info, pdfID, pdfID, encryption, start)
	return w.Bytes()
}
