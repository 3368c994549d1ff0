package event

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// plainRead reads the JSON of the event that every file causes, as plain writes it. What
// is anything else, in its order or to the letter, is left to protojson.
type plainRead struct {
	data string // what was not read yet
	odd  bool   // something is left to protojson
}

func (d *FileUploaded) plainRead(p *plainRead) {
	p.next("{")
	p.text(`"fileId":`, &d.FileId)
	p.text(`,"ownerId":`, &d.OwnerId)
	p.text(`,"fileName":`, &d.FileName)
	p.text(`,"bucket":`, &d.Bucket)
	p.text(`,"key":`, &d.Key)
	p.text(`,"etag":`, &d.Etag)
	p.number(`,"size":`, &d.Size)
	p.text(`,"contentType":`, &d.ContentType)
	p.time(`,"uploadedAt":`, &d.UploadedAt)
	p.time(`,"retriedAt":`, &d.RetriedAt)
	p.time(`,"pendingSince":`, &d.PendingSince)
	p.next("}")
	p.odd = p.odd || len(p.data) > 0
}

// next passes over what must come next.
func (p *plainRead) next(token string) {
	rest, ok := strings.CutPrefix(p.data, token)
	p.data, p.odd = rest, p.odd || !ok
}

func (p *plainRead) text(name string, value *string) {
	p.next(name)
	p.next(`"`)
	end := strings.IndexFunc(p.data, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' })
	if end < 0 || p.data[end] != '"' {
		p.odd = true
		return
	}
	*value, p.data = p.data[:end], p.data[end+1:]
	p.odd = p.odd || !utf8.ValidString(*value)
}

// number reads whole ones only.
func (p *plainRead) number(name string, value *float64) {
	p.next(name)
	digits := strings.IndexFunc(p.data, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 1 || p.data[0] == '0' && digits > 1 {
		p.odd = true
		return
	}
	var err error
	*value, err = strconv.ParseFloat(p.data[:digits], 64)
	p.data, p.odd = p.data[digits:], p.odd || err != nil
}

// time leaves value as it is where there is none.
func (p *plainRead) time(name string, value **timestamppb.Timestamp) {
	if !strings.HasPrefix(p.data, name) {
		return
	}
	var text string
	p.text(name, &text)
	at, err := time.Parse(time.RFC3339Nano, text)
	*value = timestamppb.New(at)
	// Of fractions time takes any, and protojson those of up to nine digits behind a point.
	const seconds = len("2006-01-02T15:04:05Z")
	whole := len(text) == seconds || len(text) > seconds && len(text) <= seconds+10 && text[seconds-1] == '.'
	p.odd = p.odd || err != nil || !whole || !(*value).IsValid()
}
