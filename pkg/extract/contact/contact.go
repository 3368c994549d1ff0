// Package contact reads contacts in vCard: RFC 6350 (4.0), RFC 2426 (3.0) and version 2.1 with quoted-printable texts.
package contact

import (
	"bytes"
	"errors"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// ErrNotContact means that a text is not a vCard.
var ErrNotContact = errors.New("not a vCard")

// Formats returns the formats of files with contacts.
func Formats() []records.Format {
	return []records.Format{{
		Name: "vcf", Media: "text/vcard",
		Boundary: Boundary, Read: Read, Draw: records.Undrawn, Write: records.WriteContent,
		Declares: true,
		Example:  "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Renard the Fox\r\nEMAIL:renard@example.org\r\nEND:VCARD\r\n",
	}}
}

// Boundary returns a Boundary that finds the contacts of a file. Lines between them belong to none.
func Boundary() records.Boundary {
	depth := 0 // cards of version 2.1 can contain others
	return func(line []byte) records.Cut {
		name, value, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(line, mark)), []byte(":"))
		card := bytes.EqualFold(bytes.TrimSpace(value), []byte("VCARD"))
		switch {
		case card && bytes.EqualFold(name, []byte("BEGIN")):
			if depth++; depth == 1 {
				return records.Begins
			}
		case card && depth > 0 && bytes.EqualFold(name, []byte("END")):
			if depth--; depth == 0 {
				return records.Ends
			}
		case depth == 0:
			return records.Outside
		}
		return records.Inside
	}
}

// Read reads a contact as a record, whose name is the formatted name of the contact. Its fields are the properties, without
// those in omitted. The components of a structured value are separated by commas, and several values of a property by line
// breaks. A damaged contact has an Error.
func Read(raw []byte) records.Record {
	r := records.Record{Content: records.Decode(raw)}
	complete := false
	for _, line := range unfold(raw) {
		p, ok := parse(line)
		switch {
		case !ok || omitted[p.name]:
		case p.name == "END":
			complete = true
		default:
			value := p.text()
			if p.name == "FN" && r.Name == "" {
				r.Name = value
			}
			if value != "" {
				r.Fields.Set(p.name, value)
			}
		}
	}
	if !complete {
		return records.Record{Error: ErrNotContact.Error() + ": it has no end", Content: r.Content}
	}
	if r.Name == "" {
		r.Name, _ = r.Fields.Get("N")
	}
	return r
}

// omitted contains properties that delimit a card, or whose values are not text.
var omitted = map[string]bool{"BEGIN": true, "VERSION": true, "PHOTO": true, "LOGO": true, "SOUND": true, "KEY": true}

// structured contains the properties whose values have components.
var structured = map[string]bool{"N": true, "ADR": true, "ORG": true, "GENDER": true}

// joined returns the components of a structured value that are not empty, separated by commas.
func joined(components []string) string {
	var all []string
	for _, c := range components {
		if c = strings.TrimSpace(c); c != "" {
			all = append(all, c)
		}
	}
	return strings.Join(all, ", ")
}
