package syndication

import (
	"cmp"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"time"
)

// fields are the fields of an entry, or of a feed, in RSS or Atom.
type fields struct {
	id, title, author, creator string
	link, linkBase             string // linkBase is the URL to which xml:base makes the link relative
	permalink, permalinkBase   string // the guid or id, if it may be a link
	mediaTitle                 string
	summary, altSummary        string // altSummary is another description of the entry
	content                    string
	categories                 []string

	published, updated, created time.Time
}

// isField reports whether set uses the element.
func isField(name string) bool {
	switch name {
	case "title", "dc:title", "id", "guid", "link", "author", "dc:creator", "dc:author", "itunes:author",
		"description", "summary", "dc:description", "itunes:summary", "abstract", "content", "content:encoded", "fullitem", "body", "xhtml:body",
		"category", "dc:subject", "itunes:keywords", "pubdate", "published", "issued", "dcterms:issued",
		"updated", "modified", "dc:date", "dcterms:modified", "lastbuilddate", "created", "dcterms:created", "feedburner:origlink":
		return true
	}
	return false
}

// embeds reports whether the content of the element may have elements of RSS and Atom that are no entries.
func (c *construct) embeds() bool {
	return c.name == "content" || c.name == "content:encoded" || c.name == "description" || c.name == "summary"
}

// set sets the field that an element contains.
func (f *fields) set(c *construct, atom bool) {
	switch c.name {
	case "title", "dc:title":
		setFirst(&f.title, c.html(atom))
	case "media:title":
		setFirst(&f.mediaTitle, c.html(false))
	case "id":
		f.id = cmp.Or(c.plain(), f.id)
		f.permalink = f.id
	case "guid":
		f.setGUID(c)
	case "link":
		if link := c.plain(); link != "" {
			f.link, f.linkBase = link, c.base
		}
	case "author", "dc:author":
		setFirst(&f.author, personName(c.plain()))
	case "dc:creator", "itunes:author":
		setFirst(&f.creator, personName(c.plain()))
	case "description", "summary":
		setFirst(&f.summary, c.html(atom))
	case "dc:description", "itunes:summary", "abstract":
		setFirst(&f.altSummary, c.html(atom))
	case "content", "content:encoded", "fullitem", "body", "xhtml:body":
		if !isBinary(attr(c.attrs, "type")) {
			setFirst(&f.content, c.html(atom))
		}
	case "category", "dc:subject":
		if category := cmp.Or(c.plain(), attr(c.attrs, "term")); category != "" {
			f.categories = append(f.categories, category)
		}
	case "itunes:keywords":
		for _, keyword := range strings.Split(c.plain(), ",") {
			if keyword = strings.TrimSpace(keyword); keyword != "" {
				f.categories = append(f.categories, keyword)
			}
		}
	case "pubdate", "published", "issued", "dcterms:issued":
		setDate(&f.published, c)
	case "updated", "modified", "dc:date", "dcterms:modified", "lastbuilddate":
		setDate(&f.updated, c)
	case "created", "dcterms:created":
		setDate(&f.created, c)
	}
}

func setFirst(field *string, value string) { *field = cmp.Or(*field, value) }

// setDate sets a date, unless the text is not one.
func setDate(field *time.Time, c *construct) {
	if at := date(c.plain()); !at.IsZero() {
		*field = at
	}
}

// setGUID sets the id. A guid is also the URL of the entry, unless it says that it is not.
func (f *fields) setGUID(c *construct) {
	guid := c.plain()
	if guid == "" {
		return
	}
	f.id = guid
	if !strings.EqualFold(attr(c.attrs, "isPermaLink"), "false") {
		f.permalink, f.permalinkBase = guid, c.base
	}
}

// addLink sets the link to that of an element with attributes, if it is that of the page of an entry. The last one applies.
func (f *fields) addLink(attrs []xml.Attr, base string) {
	rel := strings.ToLower(cmp.Or(attr(attrs, "rel"), "alternate"))
	kind := strings.ToLower(cmp.Or(attr(attrs, "type"), "text/html"))
	if rel == "alternate" && slices.Contains([]string{"text/html", "html", "application/xhtml+xml", "xhtml"}, kind) {
		f.link, f.linkBase = href(attrs), base
	}
}

// href returns the URL that an element has as an attribute.
func href(attrs []xml.Attr) string { return attr(attrs, "href") }

var (
	namedAddress = regexp.MustCompile(`^[^@\s]+@\S+\s+\(([^@]+)\)$`)
	addressName  = regexp.MustCompile(`^([^@]+?)\s+[(<][^@\s]+@[^\s)>]+[)>]$`)
)

// personName returns the name in a text such as "jane@example.com (Jane)". It returns an empty string for an address alone.
func personName(text string) string {
	if m := namedAddress.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if m := addressName.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if strings.Contains(text, "@") && !strings.ContainsAny(text, " \t\n") {
		return ""
	}
	return text
}
