package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"time"
)

// Namespaces of XMP properties (ISO 16684-1).
const (
	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsDC  = "http://purl.org/dc/elements/1.1/"
	nsXMP = "http://ns.adobe.com/xap/1.0/"
	nsPDF = "http://ns.adobe.com/pdf/1.3/"
)

const (
	metadataName = "/Metadata"
	// Limits, in bytes: of an XMP packet, of the dictionary of its stream, and of the part of a document that is
	// searched at once.
	maxXMP        = 1 << 20
	maxDictionary = 1 << 10
	maxWindow     = 4 << 20
	// maxPackets is the maximum number of packets that are read.
	maxPackets = 100
)

// property is the name of an XMP property.
type property = xml.Name

// packet holds the properties of an XMP packet. The items of a list are separate values.
type packet map[property][]string

func (p packet) first(space, name string) string {
	if all := p[property{Space: space, Local: name}]; len(all) > 0 {
		return all[0]
	}
	return ""
}

func (p packet) all(space, name string) string {
	return strings.Join(p[property{Space: space, Local: name}], ", ")
}

// addXMP sets the empty fields of m from the XMP packet of the document (ISO 32000-2, section 14.3.2), which replaces the
// information dictionary since PDF 2.0. PDFium does not read it.
func (m *Metadata) addXMP(r io.ReaderAt, size int64) error {
	p, err := findXMP(r, size)
	if err != nil {
		return err
	}
	for field, value := range map[*string]string{
		&m.Title: p.first(nsDC, "title"), &m.Author: p.all(nsDC, "creator"), &m.Subject: p.first(nsDC, "description"),
		&m.Creator: p.first(nsXMP, "CreatorTool"), &m.Producer: p.first(nsPDF, "Producer"),
	} {
		if *field == "" {
			*field = value
		}
	}
	if m.Keywords == "" {
		if m.Keywords = p.first(nsPDF, "Keywords"); m.Keywords == "" {
			m.Keywords = p.all(nsDC, "subject")
		}
	}
	if m.Created.IsZero() {
		m.Created = parseXMPDate(p.first(nsXMP, "CreateDate"))
	}
	if m.Modified.IsZero() {
		m.Modified = parseXMPDate(p.first(nsXMP, "ModifyDate"))
	}
	return nil
}

// findXMP returns the last XMP packet that describes the document, rather than one of its pictures. It searches the
// document for metadata streams, plain or compressed, and finds none in encrypted documents.
func findXMP(r io.ReaderAt, size int64) (packet, error) {
	tried := 0
	window := make([]byte, min(maxWindow, size))
	for end := size; end > 0; {
		begin := max(0, end-maxWindow)
		part := window[:end-begin]
		if _, err := r.ReadAt(part, begin); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for {
			at := bytes.LastIndex(part, []byte(metadataName))
			if at < 0 {
				break
			}
			part = part[:at]
			content, err := stream(r, begin+int64(at))
			if err != nil {
				return nil, err
			}
			if content == nil {
				continue
			}
			if p := parseXMP(content); p.describesDocument() {
				return p, nil
			}
			if tried++; tried == maxPackets {
				return nil, nil
			}
		}
		if begin == 0 {
			break
		}
		end = begin + int64(len(metadataName)) - 1 // a name may extend into the next window
	}
	return nil, nil
}

// stream returns the content of the stream whose dictionary contains the offset at, or nil if that is no stream.
func stream(r io.ReaderAt, at int64) ([]byte, error) {
	begin := max(0, at-maxDictionary)
	head, err := readSome(r, begin, at-begin+maxDictionary)
	if err != nil {
		return nil, err
	}
	object := bytes.LastIndex(head[:at-begin], []byte("obj"))
	length := bytes.Index(head[at-begin:], []byte("stream"))
	if object < 0 || length < 0 {
		return nil, nil
	}
	end := int(at-begin) + length
	dictionary := head[object:end]
	if bytes.Contains(dictionary, []byte("endobj")) {
		return nil, nil
	}
	content, err := readSome(r, begin+int64(end+len("stream")), maxXMP)
	if err != nil {
		return nil, err
	}
	content = bytes.TrimLeft(content, "\r\n")
	if !bytes.Contains(dictionary, []byte("/FlateDecode")) {
		content, _, _ = bytes.Cut(content, []byte("endstream"))
		return content, nil
	}
	inflating, err := zlib.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, nil //nolint:nilerr // damaged metadata are ignored
	}
	inflated, err := io.ReadAll(io.LimitReader(inflating, maxXMP))
	if err != nil {
		return nil, nil //nolint:nilerr // damaged metadata are ignored
	}
	return inflated, nil
}

// readSome reads up to n bytes at an offset, or fewer at the end.
func readSome(r io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	read, err := r.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:read], err
}

func (p packet) describesDocument() bool {
	if format := p.first(nsDC, "format"); format != "" {
		return format == "application/pdf"
	}
	return len(p) > 0
}

// parseXMP returns the properties of a packet before its end or its first error. It reads simple properties as elements
// and as attributes, and the items of lists.
func parseXMP(data []byte) packet {
	found := packet{}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	var path []xml.Name
	var text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return found
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name)
			text.Reset()
			if token.Name == (xml.Name{Space: nsRDF, Local: "Description"}) {
				for _, a := range token.Attr {
					found.add(a.Name, a.Value)
				}
			}
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if name, ok := propertyOf(path); ok {
				found.add(name, text.String())
			}
			text.Reset()
			path = path[:max(0, len(path)-1)]
		}
	}
}

// propertyOf returns the property of which the last element of a path holds a value: an item of a list, or the property
// itself.
func propertyOf(path []xml.Name) (property, bool) {
	if n := len(path); n > 3 && path[n-1] == (xml.Name{Space: nsRDF, Local: "li"}) {
		path = path[:n-2]
	}
	n := len(path)
	if n < 2 || path[n-2] != (xml.Name{Space: nsRDF, Local: "Description"}) {
		return property{}, false
	}
	return path[n-1], true
}

func (p packet) add(name property, value string) {
	if value = strings.TrimSpace(value); value != "" && name.Space != "xmlns" {
		p[name] = append(p[name], value)
	}
}

// parseXMPDate parses a date of ISO 8601, or a prefix of one. It returns the zero time for an invalid date.
func parseXMPDate(s string) time.Time {
	return timeIn(s, time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly, "2006-01", "2006")
}
