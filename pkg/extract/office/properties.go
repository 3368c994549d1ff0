package office

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// Properties are the metadata of a document. Missing properties are zero.
type Properties struct {
	Title, Subject, Keywords, Description, Category, Language string
	Author, ModifiedBy, Company                               string
	Application                                               string // the application that wrote the document
	Created, Modified                                         time.Time
	Pages, Words, Slides                                      int // as counted by the application
}

// longest is the maximum length of a property, in bytes.
const longest = 64 << 10

// texts calls set at each start tag of a part, without a value, and at the end of each element that
// contains text, with the text as the value.
func (p *parts) texts(part string, set func(name string, a attributes, value string)) error {
	var name string
	var attrs attributes
	var value strings.Builder
	return p.walk(part, events{
		start: func(n string, a attributes) error {
			name, attrs = n, a
			value.Reset()
			set(n, a, "")
			return nil
		},
		text: func(s []byte) error {
			if value.Len()+len(s) <= longest {
				value.Write(s)
			}
			return nil
		},
		end: func(n string) error {
			if text := strings.TrimSpace(strings.ToValidUTF8(value.String(), "")); n == name && text != "" {
				set(n, attrs, text)
			}
			name = ""
			return nil
		},
	})
}

// readCore reads the part with the Dublin Core properties.
func (d *Properties) readCore(p *parts, part string) error {
	return p.texts(part, func(name string, _ attributes, value string) {
		if value == "" {
			return
		}
		switch name {
		case "title":
			d.Title = value
		case "subject":
			d.Subject = value
		case "keywords":
			d.Keywords = value
		case "description":
			d.Description = value
		case "category":
			d.Category = value
		case "language":
			d.Language = value
		case "creator":
			d.Author = value
		case "lastModifiedBy":
			d.ModifiedBy = value
		case "created":
			d.Created = parseTime(value)
		case "modified":
			d.Modified = parseTime(value)
		}
	})
}

func (d *Properties) readExtended(p *parts, part string) error {
	return p.texts(part, func(name string, _ attributes, value string) {
		if value == "" {
			return
		}
		switch name {
		case "Application":
			d.Application = value
		case "Company":
			d.Company = value
		case "Pages":
			d.Pages = count(value)
		case "Words":
			d.Words = count(value)
		case "Slides":
			d.Slides = count(value)
		}
	})
}

// readMeta reads meta.xml of an OpenDocument file.
func (d *Properties) readMeta(p *parts) error {
	if !p.has("meta.xml") {
		return nil
	}
	var keywords []string
	err := p.texts("meta.xml", func(name string, a attributes, value string) {
		if name == "document-statistic" {
			d.Pages, d.Words = count(a.get("page-count")), count(a.get("word-count"))
		}
		if value == "" {
			return
		}
		switch name {
		case "title":
			d.Title = value
		case "subject":
			d.Subject = value
		case "keyword":
			keywords = append(keywords, value)
		case "description":
			d.Description = value
		case "language":
			d.Language = value
		case "initial-creator":
			d.Author = value
		case "creator":
			d.ModifiedBy = value
		case "generator":
			d.Application = value
		case "creation-date":
			d.Created = parseTime(value)
		case "date":
			d.Modified = parseTime(value)
		}
	})
	d.Keywords = strings.Join(keywords, ", ")
	if d.Author == "" {
		d.Author = d.ModifiedBy
	}
	return err
}

func count(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// thumbnail returns the thumbnail of a document if it is a JPEG or PNG of at most 4 MiB.
func (p *parts) thumbnail(name string) ([]byte, error) {
	if !p.has(name) {
		return nil, nil
	}
	b, err := p.bytes(name, 4<<20)
	switch {
	case err != nil && (p.left <= 0 || p.ctx.Err() != nil):
		return nil, err
	case err != nil:
		p.damaged++
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")) || bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return b, nil
	}
	return nil, nil
}
