package syndication

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// site returns the URL to which the links of RSS are relative, unless xml:base applies: RSS defines none, and publishers
// mean that of the site.
func site(channel fields, at *url.URL) *url.URL {
	link, err := url.Parse(resolved(at, channel.linkBase, channel.link))
	if err != nil || link.Host == "" {
		return at
	}
	return link
}

// result returns the entry with these fields. at is the URL to which links are relative, unless xml:base applies.
func (f fields) result(at *url.URL) Entry {
	e := Entry{
		ID: f.id, Link: resolved(at, f.linkBase, f.link), Title: cmp.Or(f.title, f.mediaTitle), Summary: cmp.Or(f.summary, f.altSummary, f.content),
		Author: cmp.Or(f.author, f.creator), Categories: f.categories, Published: f.published,
	}
	if f.permalink != "" && f.permalinkBase != "" {
		e.ID = resolved(at, f.permalinkBase, f.permalink)
	}
	if e.Link == "" {
		if u, err := url.Parse(e.ID); f.permalink != "" && err == nil && (u.Scheme == "https" || u.Scheme == "http") {
			e.Link = e.ID
		}
	}
	if e.Published.IsZero() {
		e.Published = f.updated
	}
	if e.Published.IsZero() {
		e.Published = f.created
	}
	return e
}

// resolved returns a link as an absolute URL. It is relative to base, or if that is empty, to at. It returns text that is
// not a URL unchanged.
func resolved(at *url.URL, base, link string) string {
	link = strings.TrimSpace(link)
	if base != "" {
		if u, err := url.Parse(base); err == nil {
			at = u
		}
	}
	if u, err := url.Parse(link); err != nil || link == "" || u.IsAbs() || !at.IsAbs() {
		return link
	}
	u, err := at.Parse(link)
	if err != nil {
		return link
	}
	return u.String()
}

// Canonical returns a URL without its fragment and campaign parameters, which do not identify the page,
// and with the host in lower case. It returns text that is not a URL unchanged.
func Canonical(link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Host == "" {
		return link
	}
	u.Scheme, u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), "", ""
	parts := strings.Split(u.RawQuery, "&")
	u.RawQuery = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return strings.HasPrefix(part, "utm_") }), "&")
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
			links[e.ID] = Canonical(e.Link)
		case link != Canonical(e.Link):
			shared[e.ID] = true
		}
	}
	for i, e := range entries {
		if shared[e.ID] && e.Link != "" {
			entries[i].ID = ""
		}
	}
}
