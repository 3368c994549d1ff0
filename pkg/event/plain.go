package event

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// plain writes the JSON of the two events that every file causes as protojson does,
// which goes by reflection, sorts the fields of each message, and takes for them more
// than for all else that is done to publish.
type plain struct {
	data []byte
	odd  bool // something is left to protojson: it knows what to say of it
}

func (d *FileUploaded) plain(p *plain) {
	p.data = append(p.data, '{')
	p.text("fileId", d.FileId)
	p.text("ownerId", d.OwnerId)
	p.text("fileName", d.FileName)
	p.text("bucket", d.Bucket)
	p.text("key", d.Key)
	p.text("etag", d.Etag)
	p.number("size", d.Size)
	p.text("contentType", d.ContentType)
	p.time("uploadedAt", d.UploadedAt)
	p.time("retriedAt", d.RetriedAt)
	p.time("pendingSince", d.PendingSince)
	p.data = append(p.data, '}')
}

func (d *AnalysisCompleted) plain(p *plain) {
	p.data = append(p.data, '{')
	p.text("area", d.Area)
	p.text("id", d.Id)
	p.text("ownerId", d.OwnerId)
	p.text("name", d.Name)
	p.time("completedAt", d.CompletedAt)
	if counted := d.GetTextStatistics(); counted != nil {
		p.name("textStatistics")
		counted.plain(p)
	} else {
		p.odd = true // another result
	}
	p.data = append(p.data, '}')
}

func (d *TextStatistics) plain(p *plain) {
	p.data = append(p.data, '{')
	p.number("totalWords", d.TotalWords)
	p.number("uniqueWords", d.UniqueWords)
	p.number("avgWordLength", d.AvgWordLength)
	p.name("top10Words")
	p.data = append(p.data, '[')
	for i, top := range d.Top10Words {
		if i > 0 {
			p.data = append(p.data, ',')
		}
		p.data = append(p.data, '{')
		p.text("word", top.GetWord())
		p.number("count", top.GetCount())
		p.data = append(p.data, '}')
	}
	p.data = append(p.data, "]}"...)
}

func (p *plain) name(name string) {
	if p.data[len(p.data)-1] != '{' {
		p.data = append(p.data, ',')
	}
	p.data = append(append(append(p.data, '"'), name...), `":`...)
}

func (p *plain) text(name, value string) {
	p.name(name)
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			p.odd = p.odd || !utf8.ValidString(value)
			quoted, _ := json.Marshal(value) // of a string, which cannot fail
			p.data = append(p.data, quoted...)
			return
		}
	}
	p.data = append(append(append(p.data, '"'), value...), '"')
}

func (p *plain) number(name string, value float64) {
	p.name(name)
	p.odd = p.odd || math.IsNaN(value) || math.IsInf(value, 0)
	p.data = strconv.AppendFloat(p.data, value, 'f', -1, 64)
}

// time leaves out what is not set. It has 0, 3, 6 or 9 digits behind the second.
func (p *plain) time(name string, value *timestamppb.Timestamp) {
	if value == nil {
		return
	}
	p.odd = p.odd || !value.IsValid()
	layout := "2006-01-02T15:04:05.000000000Z"
	switch {
	case value.Nanos == 0:
		layout = "2006-01-02T15:04:05Z"
	case value.Nanos%1e6 == 0:
		layout = "2006-01-02T15:04:05.000Z"
	case value.Nanos%1e3 == 0:
		layout = "2006-01-02T15:04:05.000000Z"
	}
	p.name(name)
	p.data = append(value.AsTime().AppendFormat(append(p.data, '"'), layout), '"')
}
