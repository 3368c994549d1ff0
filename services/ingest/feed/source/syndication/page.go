package syndication

import (
	"bytes"
	"mime"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// feedTypes are the media types of feeds.
var feedTypes = []string{"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"}

// alternate returns the URL of the first feed that a web page at a URL names as its alternate, or an empty string.
func alternate(page []byte, at string) string {
	base, err := url.Parse(at)
	if err != nil {
		return ""
	}
	found, based := "", false
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return resolved(base, "", found)
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			switch {
			case token.DataAtom == atom.Base && !based:
				if u, err := base.Parse(strings.TrimSpace(attribute(token, "href"))); err == nil {
					base, based = u, true
				}
			case token.DataAtom == atom.Link && found == "" && namesFeed(token):
				found = strings.TrimSpace(attribute(token, "href"))
			}
		}
	}
}

// namesFeed reports whether a link element names a feed.
func namesFeed(link html.Token) bool {
	kind, _, err := mime.ParseMediaType(attribute(link, "type"))
	return err == nil && slices.Contains(feedTypes, kind) &&
		slices.Contains(strings.Fields(strings.ToLower(attribute(link, "rel"))), "alternate")
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
