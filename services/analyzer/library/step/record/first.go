package record

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/sheet"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
)

const (
	// maxTried is the maximum number of records that are tried for the thumbnails of a file.
	maxTried = 10
	// longestSide is the length of the longer side of the picture, in pixels.
	longestSide = 1200
	// maxText is the maximum size of the text of records that is stored for search, in bytes.
	maxText = 1 << 20
	// maxValue is the maximum length of a value in this text, in bytes.
	maxValue = 4 << 10
)

// Thumbnails returns the step that stores the thumbnails of the first record, among the first ten, that can be
// drawn. If none of them has coordinates, the kit draws the first molecule.
func Thumbnails(e *svg.Engine, kit *structure.Kit) step.Step {
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		tried := 0
		var undrawn *raw
		for r, err := range first(ctx, f) {
			if err != nil {
				return step.Result{}, err
			}
			if tried++; tried > maxTried {
				break
			}
			drawing, err := r.draw()
			if err != nil || r.Failed() {
				if undrawn == nil && !r.Failed() {
					undrawn = &r
				}
				continue
			}
			if result, err := thumbnails(ctx, f, e, drawing, engine); !errors.Is(err, svg.ErrDamaged) {
				return result, err
			}
		}
		if kit != nil && undrawn != nil && structure.Applies(undrawn.format.Name) {
			drawing, err := drawMolecule(ctx, kit, undrawn)
			if err == nil {
				return thumbnails(ctx, f, e, drawing, engine+", "+structure.Version)
			}
			if !errors.Is(err, records.ErrNotDrawn) {
				return step.Result{}, err
			}
		}
		return step.Result{Skipped: reason.NotDrawn}, nil
	}}
}

// thumbnails stores the thumbnails of a drawing. It returns svg.ErrDamaged if the drawing cannot be rendered.
func thumbnails(ctx context.Context, f *step.File, e *svg.Engine, svg []byte, by string) (step.Result, error) {
	m, err := e.Draw(ctx, svg, longestSide, step.DrawTime)
	if err != nil {
		return step.Result{}, err
	}
	images, err := picture.Draw(ctx, f, pixels.New(m), pixels.PNG)
	return step.Result{Engine: by, Images: images}, err
}

// drawMolecule draws a molecule that has no coordinates. It returns records.ErrNotDrawn if the kit
// cannot draw it.
func drawMolecule(ctx context.Context, kit *structure.Kit, r *raw) (_ []byte, err error) {
	if err := Prepared(ctx, kit); err != nil {
		return nil, err
	}
	session, err := kit.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	return session.Draw(r.format, r.Content)
}

// raw is a record with its format.
type raw struct {
	records.Record
	format records.Format
}

func (r raw) draw() ([]byte, error) { return r.format.Draw(r.Content) }

// first yields the records of a file in order.
func first(ctx context.Context, f *step.File) iter.Seq2[raw, error] {
	return func(yield func(raw, error) bool) {
		head, err := f.Head(ctx, 1<<10)
		if err != nil {
			yield(raw{}, err)
			return
		}
		kind, err := formatOf(f.Type, head)
		if err != nil {
			yield(raw{}, err)
			return
		}
		if kind, _, err = decoded(ctx, f, kind); err != nil {
			yield(raw{}, err)
			return
		}
		body := f.From(ctx, 0, window)
		defer body.Close()
		for r, err := range kind.All(body) {
			if !yield(raw{r, kind}, err) {
				return
			}
		}
	}
}

// Text returns the step that stores the distinct names, formulas and values of records for search.
func Text() step.Step {
	return step.Step{Time: 2 * time.Minute, Rate: rate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		var t text
		n := 0
		for r, err := range first(ctx, f) {
			if err != nil {
				return step.Result{}, err
			}
			if n++; n > records.MaxRecords || !t.add(&r.Record) {
				break
			}
		}
		return t.store(ctx, f)
	}}
}

// TableText is like Text, but reads a delimited table with the lines before it.
func TableText() step.Step {
	return step.Step{Time: 2 * time.Minute, Rate: rate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		var t text
		if _, err := readTable(ctx, f, t.addTable); err != nil {
			return step.Result{}, err
		}
		return t.store(ctx, f)
	}}
}

// text is the text of records. Its zero value is empty.
type text struct {
	strings.Builder
	seen map[string]bool
	cut  bool
}

// add adds the new values of a record. It returns false if the text is full.
func (t *text) add(r *records.Record) bool {
	t.value(r.Name)
	for _, p := range r.Properties {
		if s, ok := p.Value.(string); ok {
			t.value(s)
		}
	}
	for _, field := range r.Fields {
		t.value(field.Value)
	}
	return !t.cut
}

// addTable adds the lines before a table and its rows, as far as they fit.
func (t *text) addTable(rows *sheet.Text) error {
	for line := range strings.Lines(rows.Preamble) {
		t.value(strings.TrimSpace(line))
	}
	for range records.MaxRows {
		r, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !t.add(&r) {
			return nil
		}
	}
	return nil
}

func (t *text) value(s string) {
	if len(s) > maxValue {
		s = strings.ToValidUTF8(s[:maxValue], "")
	}
	if s == "" || t.cut || t.seen[s] {
		return
	}
	if t.cut = t.Len()+len(s) >= maxText; t.cut {
		return
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[s] = true
	t.WriteString(s)
	t.WriteByte('\n')
}

func (t *text) store(ctx context.Context, f *step.File) (step.Result, error) {
	key, err := f.StoreText(ctx, library.TextName, t.String())
	found := map[string]any{"textLength": t.Len()}
	if t.cut {
		found["textCut"] = "only the values of the first records can be searched; filters cover all records"
	}
	return step.Result{Engine: engine, Key: key, Metadata: found}, err
}
