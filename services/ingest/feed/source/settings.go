// Package source polls servers for feed items. Each source has settings, which operators can change
// at any time, and a state; both are stored in one document in the platform table.
package source

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
)

// Kinds of sources.
const (
	KindNewsAPI = "newsapi"
	KindRSS     = "rss"
)

// Ways of assigning tags to the entries of a feed.
const (
	MatchText = "text"
	MatchAll  = "all"
)

// Limits of settings.
const (
	maxTags     = 20
	maxURL      = 2048
	maxInterval = 24 * time.Hour
	maxQuota    = 1_000_000
	maxPages    = 10
)

var (
	languageForm = regexp.MustCompile(`^[a-z]{2}$`)
	// keyForm is restrictive, so that operators cannot send arbitrary secrets from the environment to
	// another server.
	keyForm = regexp.MustCompile(`^ASSAY_NEWSAPI_KEY(_[A-Z0-9_]{1,50})?$`)
)

// Settings are the settings of a source, as edited by operators.
type Settings struct {
	Kind     string   `json:"kind" enum:"newsapi,rss" doc:"rss stands for RSS, Atom and JSON Feed"`
	URL      string   `json:"url,omitempty" maxLength:"2048" doc:"the URL of the feed; for newsapi the endpoint, default: https://newsapi.org/v2/everything"`
	Enabled  bool     `json:"enabled"`
	Interval string   `json:"interval,omitempty" doc:"the time between polls; default: 15m" example:"15m"`
	Quota    int      `json:"quota,omitempty" minimum:"1" maximum:"1000000" doc:"maximum requests per day (UTC); default: 100 for newsapi, 2000 for rss. A 304 response does not count"`
	Tags     []string `json:"tags" minItems:"1" maxItems:"20" doc:"watched tags, each of at most 50 characters; newsapi is searched for each"`
	Match    string   `json:"match,omitempty" enum:"text,all" doc:"rss: text, the default, assigns the tags that occur in an entry's text or categories and skips entries without a match; all assigns all tags, at most 5"`
	Language string   `json:"language,omitempty" doc:"newsapi: language as two letters; en by default"`
	Pages    int      `json:"pages,omitempty" minimum:"1" maximum:"10" doc:"newsapi: maximum pages of 100 articles to read per tag and poll; 1 by default"`
	Key      string   `json:"keyVariable,omitempty" doc:"newsapi: the environment variable of ingest that contains the API key: ASSAY_NEWSAPI_KEY, the default, or one that begins with ASSAY_NEWSAPI_KEY_"`
}

// withDefaults sets defaults for omitted settings.
func (s Settings) withDefaults() Settings {
	s.Interval = cmp.Or(s.Interval, "15m")
	switch s.Kind {
	case KindNewsAPI:
		s.URL, s.Quota, s.Pages = cmp.Or(s.URL, newsapi.Endpoint), cmp.Or(s.Quota, 100), cmp.Or(s.Pages, 1)
		s.Language, s.Key = cmp.Or(s.Language, "en"), cmp.Or(s.Key, "ASSAY_NEWSAPI_KEY")
	case KindRSS:
		s.Quota, s.Match = cmp.Or(s.Quota, 2000), cmp.Or(s.Match, MatchText)
	}
	return s
}

// interval returns Interval as a duration. The settings must be valid.
func (s Settings) interval() time.Duration {
	every, _ := time.ParseDuration(s.Interval)
	return every
}

// check returns the errors in settings to which defaults were applied.
func (s Settings) check(cfg Config) []web.FieldError {
	var found []web.FieldError
	wrong := func(field, format string, args ...any) {
		found = append(found, web.FieldError{Field: "body." + field, Message: fmt.Sprintf(format, args...)})
	}
	only := func(field, kind string, given bool) {
		if given && s.Kind != kind {
			wrong(field, "applies only to sources of kind %s", kind)
		}
	}
	if s.Kind != KindNewsAPI && s.Kind != KindRSS {
		wrong("kind", "is not %s or %s", KindNewsAPI, KindRSS)
		return found
	}
	if message := s.checkURL(cfg.policy()); message != "" {
		wrong("url", "%s", message)
	}
	if every, err := time.ParseDuration(s.Interval); err != nil || every < cfg.MinInterval || every > maxInterval {
		wrong("interval", "is not a duration between %s and %s, such as 15m", cfg.MinInterval, maxInterval)
	}
	if s.Quota < 1 || s.Quota > maxQuota {
		wrong("quota", "is not between 1 and %d", maxQuota)
	}
	if len(s.Tags) < 1 || len(s.Tags) > maxTags {
		wrong("tags", "has %d tags; 1 to %d are allowed", len(s.Tags), maxTags)
	}
	for i, one := range s.Tags {
		message := tag.Check(one)
		switch {
		case message != "":
		case feed.Tag(one) != one:
			message = "begins or ends with a space, or has more than one space between words"
		case slices.Contains(s.Tags[:i], one):
			message = "is a duplicate"
		}
		if message != "" {
			wrong(fmt.Sprintf("tags[%d]", i), "%s", message)
		}
	}
	if s.Match == MatchAll && len(s.Tags) > feed.MaxTags {
		wrong("tags", "has %d tags; with match all, each item gets all of them, but can have at most %d", len(s.Tags), feed.MaxTags)
	}
	only("match", KindRSS, s.Match != "")
	only("language", KindNewsAPI, s.Language != "")
	only("pages", KindNewsAPI, s.Pages != 0)
	only("keyVariable", KindNewsAPI, s.Key != "")
	if s.Kind == KindRSS && s.Match != MatchText && s.Match != MatchAll {
		wrong("match", "is not %s or %s", MatchText, MatchAll)
	}
	if s.Kind == KindNewsAPI {
		if !languageForm.MatchString(s.Language) {
			wrong("language", "is not two lower-case letters, such as en")
		}
		if s.Pages < 1 || s.Pages > maxPages {
			wrong("pages", "is not between 1 and %d", maxPages)
		}
		if !keyForm.MatchString(s.Key) {
			wrong("keyVariable", "is not ASSAY_NEWSAPI_KEY and does not begin with ASSAY_NEWSAPI_KEY_; set the name of a variable, not the key")
		}
	}
	return found
}

func (s Settings) checkURL(policy guard.Policy) string {
	u, err := url.Parse(s.URL)
	if err != nil || len(s.URL) > maxURL || guard.CheckURL(u) != nil {
		return fmt.Sprintf("is not an http or https URL of at most %d bytes with a host and without a user name", maxURL)
	}
	at, err := netip.ParseAddr(u.Hostname())
	if s.Kind == KindNewsAPI && u.Scheme != "https" && (err != nil || !policy.Allows(at)) {
		return "is not https; the API key would be sent unencrypted"
	}
	return ""
}

// sameServer reports whether both settings send the same requests to the same server with the same
// key.
func (s Settings) sameServer(other Settings) bool {
	return s.Kind == other.Kind && s.URL == other.URL && s.Key == other.Key
}
