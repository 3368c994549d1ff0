package syndication

import (
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed"
)

// linkBase returns the URL to which the links of a feed are relative: that of the site for RSS, which defines none, and
// otherwise that of the document. The parser has already resolved links that xml:base applies to.
func linkBase(parsed *gofeed.Feed, at string) *url.URL {
	base, err := url.Parse(at)
	if err != nil {
		return &url.URL{}
	}
	if parsed.FeedType != "rss" {
		return base
	}
	site, err := base.Parse(strings.TrimSpace(parsed.Link))
	if err != nil || site.Host == "" {
		return base
	}
	return site
}

// resolved returns a link as an absolute URL. It returns text that is not a URL unchanged.
func resolved(base *url.URL, link string) string {
	link = strings.TrimSpace(link)
	if u, err := url.Parse(link); err != nil || link == "" || u.IsAbs() {
		return link
	}
	u, err := base.Parse(link)
	if err != nil {
		return link
	}
	return u.String()
}

// dropShared removes ids that do not identify an entry, because entries with different links share them.
func dropShared(entries []Entry) {
	links, shared := map[string]string{}, map[string]bool{}
	for _, e := range entries {
		link, seen := links[e.ID]
		switch {
		case e.ID == "" || e.Link == "":
		case !seen:
			links[e.ID] = e.Link
		case link != e.Link:
			shared[e.ID] = true
		}
	}
	for i, e := range entries {
		if shared[e.ID] && e.Link != "" {
			entries[i].ID = ""
		}
	}
}
