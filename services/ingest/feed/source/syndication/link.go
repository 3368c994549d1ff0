package syndication

import (
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/rss"
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

// permalinks translates RSS. The link of an entry without one is its guid, unless the guid says that it is not a URL.
type permalinks struct{ gofeed.DefaultRSSTranslator }

// Translate implements gofeed.Translator.
func (p permalinks) Translate(feed any) (*gofeed.Feed, error) {
	out, err := p.DefaultRSSTranslator.Translate(feed)
	original, ok := feed.(*rss.Feed)
	if err != nil || !ok {
		return out, err
	}
	for i, item := range original.Items {
		if guid := item.GUID; i < len(out.Items) && item.Link == "" && guid != nil && !strings.EqualFold(strings.TrimSpace(guid.IsPermalink), "false") {
			if u, err := url.Parse(strings.TrimSpace(guid.Value)); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
				out.Items[i].Link = guid.Value
			}
		}
	}
	return out, nil
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
