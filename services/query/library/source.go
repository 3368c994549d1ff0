package library

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/library/nodes"
	"github.com/assay-project/assay/services/query/search"
)

// source is the library as a source of its search index: the nodes, and the texts and properties of the files.
type source struct {
	store  *library.Store
	bucket *blob.Store // contains the texts
	log    zerolog.Logger
}

var _ search.Source = (*source)(nil)

const _ = uint(search.MaxText - library.MaxText) // all of a text is indexed

// Stream returns the name of the stream of NodeChanged events.
func (s *source) Stream() string { return library.NodeStream }

// Limits returns no limits: the index keeps all nodes.
func (s *source) Limits() search.Limits { return search.Limits{} }

// Items iterates over the nodes of the table.
func (s *source) Items(ctx context.Context) iter.Seq2[search.Item, error] {
	return search.Scan(func(cursor string) ([]library.Node, string, error) {
		page, err := s.store.ScanNodes(ctx, cursor, library.ScanLimit)
		for _, broken := range page.Broken {
			s.log.Error().Err(broken.Err).Str("node", broken.ID).Msg("skipped a node that cannot be read")
		}
		return page.Items, page.Next, err
	}, func(n library.Node) (search.Item, bool) {
		if !library.ValidID(n.ID) {
			return search.Item{}, false
		}
		return nodes.Item(n.Changed(library.ChangeUpdated, n).Data.(*event.NodeChanged)), true
	})
}

var errNodeID = errors.New("the event has no valid node id")

// Decode returns the node of a NodeChanged event.
func (s *source) Decode(d bus.Delivery) (search.Item, bool, error) {
	var c event.NodeChanged
	if err := event.Unmarshal(d.Data, &c); err != nil {
		return search.Item{}, false, err
	}
	if !library.ValidID(c.NodeId) {
		return search.Item{}, false, errNodeID
	}
	return nodes.Item(&c), true, nil
}

// Texts returns how to read the texts and properties of files.
func (s *source) Texts(ctx context.Context, runs []search.Pending) ([]search.Reading, error) {
	return search.Readings(ctx, runs, s.store.Files, func(run search.Pending, file library.File) search.Reading {
		length, _ := file.Metadata["textLength"].(float64)
		return search.Reading{Size: int64(length), Read: func(ctx context.Context) (search.Text, error) { return s.read(ctx, run, file) }}
	})
}

// read reads what is indexed of a run of a file. The file may have started another run, or be absent.
func (s *source) read(ctx context.Context, p search.Pending, file library.File) (search.Text, error) {
	t := search.Text{Pending: p}
	text, err := s.object(ctx, p, library.TextName)
	if err != nil {
		return t, err
	}
	t.Text = search.Spelled(terms.FormatOf(file.Name), text)
	if file.Run != p.Run {
		return t, nil
	}
	t.Properties = propertiesOf(file.Metadata)
	t.PageType, _ = file.Metadata[library.MetadataPageType].(string)
	t.Cut, _ = file.Metadata["textCut"].(string)
	if text, is := file.Metadata[library.MetadataLookalike].(string); is {
		if hash, err := lookalike.Parse(text); err == nil { // otherwise the file is found like other files
			t.Picture = &hash
		}
	}
	if file.Metadata[library.MetadataNumbers] != nil {
		numbers, err := s.object(ctx, p, library.NumbersName)
		if err != nil {
			return t, err
		}
		t.Text = withNumbers(t.Text, numbers)
	}
	return t, nil
}

// withNumbers returns a text with the numbers of each of its sheets at the end of the sheet.
func withNumbers(text, numbers string) string {
	var b strings.Builder
	b.Grow(len(text) + len(numbers) + strings.Count(text, "\f") + 1)
	for {
		sheet, rest, more := strings.Cut(text, "\f")
		own, others, _ := strings.Cut(numbers, "\f")
		b.WriteString(sheet + "\n" + own)
		if !more {
			b.WriteString(strings.ReplaceAll(others, "\f", ""))
			return b.String()
		}
		b.WriteByte('\f')
		text, numbers = rest, others
	}
}

// object reads a compressed result of a run, up to search.MaxText bytes. It returns "" if there is none or if it is damaged.
func (s *source) object(ctx context.Context, p search.Pending, name string) (string, error) {
	body, err := s.bucket.Open(ctx, library.ResultKey(p.ID, p.Run, name), "")
	if errors.Is(err, blob.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer body.Close()
	var text strings.Builder
	unpacked, err := gzip.NewReader(body)
	if err == nil {
		_, err = io.Copy(&text, io.LimitReader(unpacked, search.MaxText))
	}
	switch {
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.EOF):
		s.log.Error().Err(err).Str("file", p.ID).Str("object", name).Msg("skipped a damaged text")
		return "", nil
	case err != nil:
		return "", err
	}
	return strings.ToValidUTF8(text.String(), " "), nil
}

// propertiesOf returns the properties in the metadata of a file. A list has a property for each of its texts.
func propertiesOf(metadata table.Document) []search.Property {
	var all []search.Property
	for _, field := range []string{"title", "author", "byline", "subject", "keywords", "attachmentNames"} {
		switch value := metadata[field].(type) {
		case string:
			all = append(all, search.Property{Field: field, Value: value})
		case []any:
			for _, one := range value {
				if text, is := one.(string); is {
					all = append(all, search.Property{Field: field, Value: text})
				}
			}
		}
	}
	return all
}
