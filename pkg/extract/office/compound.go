package office

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/richardlehane/mscfb"
	"github.com/richardlehane/msoleps"
	"github.com/richardlehane/msoleps/types"
)

// readCompound reads the properties of an Office 97–2003 document. It returns ErrLocked if the file
// is an encrypted document of a later Office version, which uses the same container.
func readCompound(r io.ReaderAt, size int64) (_ *Document, err error) {
	defer func() {
		if v := recover(); v != nil { // the libraries index slices with values from the file
			err = fmt.Errorf("%w: %v", ErrDamaged, v)
		}
	}()
	compound, err := mscfb.New(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	d := &Document{}
	for entry, err := compound.Next(); err == nil; entry, err = compound.Next() {
		if len(entry.Path) > 0 {
			continue
		}
		switch name := strings.ToLower(entry.Name); name {
		case "encryptedpackage":
			return nil, ErrLocked
		case "worddocument":
			d.Format = "doc"
			head := make([]byte, 12)
			if _, err := io.ReadFull(entry, head); err == nil && head[11]&1 != 0 { // bit fEncrypted of the FIB
				return nil, ErrLocked
			}
		case "workbook", "book":
			d.Format = "xls"
		case "powerpoint document":
			d.Format = "ppt"
		default:
			if msoleps.IsMSOLEPS(entry.Initial) && entry.Size <= 1<<20 {
				d.Properties.readSet(entry, d)
			}
		}
	}
	if d.Format == "" {
		return nil, ErrFormat
	}
	return d, nil
}

// readSet reads a property set. It skips and counts a set that cannot be read.
func (p *Properties) readSet(r io.Reader, d *Document) {
	set, err := msoleps.NewFrom(r)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			d.Damaged++
		}
		return
	}
	for _, property := range set.Property {
		value := strings.TrimSpace(strings.Trim(property.String(), "\x00"))
		if len(value) > longest {
			continue
		}
		switch property.Name {
		case "Title":
			p.Title = value
		case "Subject":
			p.Subject = value
		case "Keywords":
			p.Keywords = value
		case "Comments":
			p.Description = value
		case "Category":
			p.Category = value
		case "Author":
			p.Author = value
		case "LastAuthor":
			p.ModifiedBy = value
		case "Company":
			p.Company = value
		case "AppName":
			p.Application = value
		case "CreateTime":
			p.Created = fileTime(property.T)
		case "LastSaveTime":
			p.Modified = fileTime(property.T)
		case "PageCount":
			p.Pages = count(value)
		case "WordCount":
			p.Words = count(value)
		case "Slides", "SlideCount":
			p.Slides = count(value)
		}
	}
}

func fileTime(t types.Type) time.Time {
	if ft, ok := t.(types.FileTime); ok && ft.Time().Year() > 1900 {
		return ft.Time().UTC()
	}
	return time.Time{}
}
