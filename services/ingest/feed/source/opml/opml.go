// Package opml reads and writes lists of feeds in OPML, versions 1.0 to 2.0.
package opml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

// Limits of a document.
const (
	MaxBytes    = 1 << 20
	MaxOutlines = 2000 // feeds and folders
)

// Errors of Read.
var (
	ErrMalformed = errors.New("the document is not OPML")
	ErrTooMany   = fmt.Errorf("the document has more than %d outlines", MaxOutlines)
)

// Namespace is the namespace of the attributes that contain settings of a source.
const Namespace = "https://assay-project.github.io/opml"

// Feed is an outline for a feed.
type Feed struct {
	Title, URL string
	Folders    []string // the titles of the outlines that contain it, outermost first
	Categories []string
	// Match, Interval and Enabled are settings of a source, or empty.
	Match, Interval, Enabled string
}

// Read returns the feeds of a document. It returns ErrMalformed or ErrTooMany.
func Read(document []byte, contentType string) ([]Feed, error) {
	d := xml.NewDecoder(bytes.NewReader(syndication.UTF8(document, contentType)))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var feeds []Feed
	var folders []string // an empty one for each open outline that is not a folder
	found, outlines := false, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && found {
			return feeds, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch name := strings.ToLower(token.Name.Local); {
			case !found && name != "opml":
				return nil, fmt.Errorf("%w: its root element is %s", ErrMalformed, token.Name.Local)
			case name == "outline":
				if outlines++; outlines > MaxOutlines {
					return nil, ErrTooMany
				}
				f := outline(token.Attr)
				if f.URL == "" {
					folders = append(folders, f.Title)
					break
				}
				f.Folders = slices.DeleteFunc(slices.Clone(folders), func(title string) bool { return title == "" })
				feeds, folders = append(feeds, f), append(folders, "")
			}
			found = true
		case xml.EndElement:
			if strings.EqualFold(token.Name.Local, "outline") && len(folders) > 0 {
				folders = folders[:len(folders)-1]
			}
		}
	}
}

// outline returns the outline with the given attributes. It has no URL if it is not that of a feed.
func outline(attrs []xml.Attr) Feed {
	values := map[string]string{}
	var f Feed
	for _, a := range attrs {
		value := strings.Join(strings.Fields(a.Value), " ")
		if a.Name.Space == "" {
			name := strings.ToLower(a.Name.Local)
			values[name] = cmp.Or(values[name], value)
		}
		if a.Name.Space == Namespace {
			f.set(a.Name.Local, value)
		}
	}
	f.Title, f.URL = cmp.Or(values["title"], values["text"]), values["xmlurl"]
	if kind := strings.ToLower(values["type"]); f.URL == "" && (kind == "rss" || kind == "atom") {
		f.URL = values["url"]
	}
	if rest, isFeed := strings.CutPrefix(f.URL, "feed:"); isFeed {
		f.URL = rest
		if strings.HasPrefix(rest, "//") {
			f.URL = "http:" + rest
		}
	}
	for _, category := range strings.Split(values["category"], ",") {
		if strings.HasPrefix(strings.TrimSpace(category), "/") { // a path of categories
			category = category[strings.LastIndexByte(category, '/')+1:]
		}
		if category = strings.TrimSpace(category); category != "" {
			f.Categories = append(f.Categories, category)
		}
	}
	return f
}

func (f *Feed) set(name, value string) {
	switch name {
	case "match":
		f.Match = value
	case "interval":
		f.Interval = value
	case "enabled":
		f.Enabled = value
	}
}
