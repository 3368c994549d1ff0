package office

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/zipxml"
)

// parts provides access to the files of a document.
type parts struct {
	ctx      context.Context
	files    map[string]*zip.File // by lower-case name without a leading slash
	names    []string             // keys of files, in archive order
	left     int64                // remaining budget of decompressed bytes
	most     int64                // initial budget of decompressed bytes
	kept     int                  // bytes that keep has counted
	damaged  int
	drawn    map[string]bool // metafiles that have been read
	out      *text
	numbers  []Number // see Document.Numbers
	unshared int      // number of shared strings that were not kept
	page     int      // number of slides or sheets that have ended
}

func newParts(ctx context.Context, archive *zip.Reader, l Limits) *parts {
	p := &parts{ctx: ctx, files: make(map[string]*zip.File, len(archive.File)), left: l.Inflated, most: l.Inflated, drawn: map[string]bool{}, out: &text{most: l.Text, to: l.To}}
	for _, f := range archive.File {
		name := partName(f.Name)
		if p.files[name] == nil {
			p.files[name], p.names = f, append(p.names, name)
		}
	}
	return p
}

// endPage ends a slide or a sheet.
func (p *parts) endPage() error {
	p.page++
	return p.out.endPage()
}

func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

func (p *parts) has(name string) bool { return p.files[partName(name)] != nil }

const (
	maxKept      = 64 << 20 // bytes of styles, lists, formats and lists of sheets and slides
	maxRelations = 50_000   // links of a part
)

// keep counts n bytes that are kept until the document has been read, in addition to the overhead of an entry. It returns
// false if there are too many.
func (p *parts) keep(n int) bool {
	const entry = 200
	p.kept += n + entry
	return p.kept <= maxKept
}

// open returns a reader of a part. The reader fails when ctx is done. open returns ErrTooBig if the size that the
// archive states exceeds the remaining budget; package zip reads no more than the stated size.
func (p *parts) open(name string) (io.ReadCloser, error) {
	f := p.files[partName(name)]
	if f == nil {
		return nil, ErrDamaged.With(reason.NoPart, name)
	}
	if f.UncompressedSize64 > uint64(max(p.left, 0)) {
		return nil, ErrTooBig.With(reason.InflatedLimit, p.most)
	}
	if err := zipxml.CheckRatio(f); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: part %.100q: %w", ErrDamaged, name, err)
	}
	return &bounded{r, p}, nil
}

// bounded is an open part. It counts the bytes read against the budget.
type bounded struct {
	io.ReadCloser
	parts *parts
}

func (b *bounded) Read(buffer []byte) (int, error) {
	if err := b.parts.ctx.Err(); err != nil {
		return 0, context.Cause(b.parts.ctx)
	}
	n, err := b.ReadCloser.Read(buffer)
	b.parts.left -= int64(n)
	return n, err
}

// bytes returns the content of a part. It fails if the content has more than most bytes.
func (p *parts) bytes(name string, most int64) ([]byte, error) {
	r, err := p.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = ErrTooBig.With(reason.PartLimit, name, most)
	}
	return b, err
}

// events are the callbacks of walk. Names have no namespace prefix.
type events struct {
	start func(name string, a attributes) error
	end   func(name string) error
	text  func(s []byte) error
}

type attributes []xml.Attr

// get returns the value of an attribute by its local name, or "".
func (a attributes) get(name string) string {
	for _, attr := range a {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

// walk parses a part. If the XML is malformed, it stops, counts the part as damaged and returns nil. It returns
// ErrTooBig and the errors of ctx and of e.
func (p *parts) walk(name string, e events) error {
	r, err := p.open(name)
	if errors.Is(err, ErrTooBig) {
		return err
	}
	if err != nil {
		p.damaged++
		return nil
	}
	defer r.Close()
	d := zipxml.NewDecoder(r, charset.NewReader)
	for {
		token, err := d.Token()
		if err != nil {
			switch {
			case p.ctx.Err() != nil:
				return context.Cause(p.ctx)
			case errors.Is(err, ErrTooBig):
				return err
			case !errors.Is(err, io.EOF):
				p.damaged++
			}
			return nil
		}
		switch t := token.(type) {
		case xml.StartElement:
			if e.start != nil {
				err = e.start(t.Name.Local, t.Attr)
			}
		case xml.EndElement:
			if e.end != nil {
				err = e.end(t.Name.Local)
			}
		case xml.CharData:
			if e.text != nil {
				err = e.text(t)
			}
		}
		if err != nil {
			return err
		}
	}
}

// relation is a link from one part to another.
type relation struct{ id, kind, target string }

// relations returns the internal links of a part in document order. The part "" is the package itself.
func (p *parts) relations(part string) ([]relation, error) {
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	if !p.has(name) {
		return nil, nil
	}
	var all []relation
	err := p.walk(name, events{start: func(name string, a attributes) error {
		if name == "Relationship" && a.get("TargetMode") != "External" {
			target := a.get("Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("/", dir, target)
			}
			if len(all) == maxRelations {
				return ErrTooBig.With(reason.RelationsLimit, part, maxRelations)
			}
			all = append(all, relation{a.get("Id"), path.Base(a.get("Type")), strings.TrimPrefix(path.Clean(target), "/")})
		}
		return nil
	}})
	return all, err
}
