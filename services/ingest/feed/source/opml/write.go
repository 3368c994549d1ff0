package opml

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

type document struct {
	XMLName   xml.Name  `xml:"opml"`
	Version   string    `xml:"version,attr"`
	Namespace string    `xml:"xmlns:assay,attr"`
	Title     string    `xml:"head>title"`
	Created   string    `xml:"head>dateCreated"`
	Outlines  []element `xml:"body>outline"`
}

type element struct {
	Type     string `xml:"type,attr"`
	Text     string `xml:"text,attr"`
	Title    string `xml:"title,attr"`
	URL      string `xml:"xmlUrl,attr"`
	Category string `xml:"category,attr,omitempty"`
	Match    string `xml:"assay:match,attr,omitempty"`
	Interval string `xml:"assay:interval,attr,omitempty"`
	Enabled  string `xml:"assay:enabled,attr,omitempty"`
}

// Write returns a document in OPML 2.0. It ignores folders.
func Write(title string, created time.Time, feeds []Feed) ([]byte, error) {
	d := document{Version: "2.0", Namespace: Namespace, Title: title, Created: created.UTC().Format(time.RFC1123)}
	for _, f := range feeds {
		d.Outlines = append(d.Outlines, element{
			"rss", f.Title, f.Title, f.URL, strings.Join(f.Categories, ","), f.Match, f.Interval, f.Enabled,
		})
	}
	out, err := xml.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write OPML: %w", err)
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}
