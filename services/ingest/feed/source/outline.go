package source

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/services/ingest/feed/source/opml"
)

// FromOutline returns the settings of the source for an outline. Settings that the outline lacks are those of others. The
// tags are the categories and folders of the outline and the tags of others; without any, the tag is the title of
// the outline.
func FromOutline(f opml.Feed, others Settings) Settings {
	s := others
	s.Kind, s.URL = KindRSS, f.URL
	if f.Match != "" {
		s.Match = f.Match
	}
	if f.Interval != "" {
		s.Interval = f.Interval
	}
	if f.Enabled != "" {
		s.Enabled = !strings.EqualFold(f.Enabled, "false")
	}
	s.Tags = nil
	limit := maxTags
	if s.Match == MatchAll {
		limit = feed.MaxTags
	}
	add := func(tags ...string) {
		for _, one := range tags {
			if one = feed.Tag(cut(one, feed.MaxTag)); tag.Check(one) == "" && len(s.Tags) < limit && !slices.Contains(s.Tags, one) {
				s.Tags = append(s.Tags, one)
			}
		}
	}
	add(others.Tags...)
	add(f.Categories...)
	for _, folder := range slices.Backward(f.Folders) { // the innermost is the most specific
		add(folder)
	}
	if len(s.Tags) == 0 {
		add(f.Title)
	}
	if len(s.Tags) == 0 {
		add(host(f.URL))
	}
	return s
}

// Outline returns the outline for a source of kind rss.
func (s Source) Outline() opml.Feed {
	return opml.Feed{
		Title: s.Name, URL: s.Settings.URL, Categories: s.Settings.Tags,
		Match: s.Settings.Match, Interval: s.Settings.Interval, Enabled: strconv.FormatBool(s.Settings.Enabled),
	}
}

// maxName is the maximum length of the name of a source.
const maxName = 64

// OutlineName returns a name for the source of an outline that is not taken. It is derived from the title, or from the
// host if the title has no Latin letters or digits.
func OutlineName(f opml.Feed, taken func(string) bool) string {
	name := slug(f.Title)
	if name == "" {
		name = slug(host(f.URL))
	}
	if name == "" {
		name = "feed"
	}
	for n, candidate := 2, name; ; n++ {
		if !taken(candidate) {
			return candidate
		}
		suffix := "-" + strconv.Itoa(n)
		candidate = strings.TrimRight(name[:min(len(name), maxName-len(suffix))], "-") + suffix
	}
}

// slug returns a text in the form of a name: lower-case letters and digits of ASCII, and hyphens between words.
func slug(text string) string {
	var out []byte
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			out = append(out, byte(r))
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
		case len(out) > 0 && out[len(out)-1] != '-':
			out = append(out, '-')
		}
	}
	return strings.Trim(string(out[:min(len(out), maxName)]), "-")
}

func host(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}
