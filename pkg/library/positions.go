package library

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
)

// PositionsName is the name of the result that contains where the words of the pages of a file are: a zip archive with a JSON document for
// each page, named by its number, from 1. A file without pages, and a page whose positions are unknown, has none.
const PositionsName = "positions.zip"

// Positions are the positions of the words of a page.
type Positions struct {
	Width  float64       `json:"width"` // of the page as displayed, in points (1/72 inch)
	Height float64       `json:"height"`
	Words  []PlacedWords `json:"words"` // their texts are the text of the page
}

// PlacedWords is a part of the text of a page, such as a word and the space after it.
type PlacedWords struct {
	Text string `json:"t"`
	// Box is the left, top, right and bottom of the part, in multiples of 1/PositionScale of the width and the height of the page; nil if it is
	// not displayed.
	Box *[4]int `json:"b,omitempty"`
}

// PositionScale is the number of units of a box in the width and in the height of a page.
const PositionScale = 10_000

// maxPositions is the maximum size of the result PositionsName in bytes. Further pages have no positions.
const maxPositions = 16 << 20

// PositionsWriter writes the result PositionsName.
type PositionsWriter struct {
	b     bytes.Buffer
	zip   *zip.Writer
	pages int
	err   error
}

// NewPositionsWriter returns a writer without pages.
func NewPositionsWriter() *PositionsWriter {
	w := &PositionsWriter{}
	w.zip = zip.NewWriter(&w.b)
	w.zip.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) })
	return w
}

// Add adds a page with a number, which must exceed those of the pages before, unless the result is full.
func (w *PositionsWriter) Add(page int, p Positions) {
	if w.err != nil || w.b.Len() >= maxPositions {
		return
	}
	document, err := json.Marshal(p)
	if err == nil {
		var to io.Writer
		if to, err = w.zip.Create(strconv.Itoa(page)); err == nil {
			_, err = to.Write(document)
		}
	}
	w.pages++
	w.err = err
}

// Bytes returns the result, or nil without pages.
func (w *PositionsWriter) Bytes() ([]byte, error) {
	if w.err != nil || w.pages == 0 {
		return nil, w.err
	}
	if err := w.zip.Close(); err != nil {
		return nil, err
	}
	return w.b.Bytes(), nil
}

// maxPagePositions is the maximum size of the positions of a page that is read, in bytes.
const maxPagePositions = 64 << 20

// ReadPositions returns the positions of a page from the result PositionsName, which has a size. found is false if the page has none.
func ReadPositions(r io.ReaderAt, size int64, page int) (p Positions, found bool, err error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return p, false, fmt.Errorf("positions of words: %w", err)
	}
	file, err := archive.Open(strconv.Itoa(page))
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("positions of words: %w", err)
	}
	defer file.Close() //nolint:errcheck // it only reads
	if err := json.NewDecoder(io.LimitReader(file, maxPagePositions)).Decode(&p); err != nil {
		return p, false, fmt.Errorf("positions of words: %w", err)
	}
	return p, true, nil
}
