package source

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

var testConfig = Config{MinInterval: time.Minute, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func TestDefaults(t *testing.T) {
	for _, s := range []Settings{
		{Kind: KindNewsAPI, Tags: []string{"AI"}},
		{Kind: KindRSS, URL: "https://example.com/feed", Tags: []string{"AI"}},
	} {
		if found := s.withDefaults().check(testConfig); len(found) != 0 {
			t.Errorf("%+v: got errors %v, want none", s, found)
		}
	}
	s := Settings{Kind: KindNewsAPI, Tags: []string{"AI"}}.withDefaults()
	if s.URL != "https://newsapi.org/v2/everything" || s.Quota != 100 || s.Key != "ASSAY_NEWSAPI_KEY" || s.interval() != 15*time.Minute {
		t.Errorf("got %+v, want the default URL, quota 100, the default key and 15m", s)
	}
}

// TestChecks covers settings with one invalid field each.
func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		kind  string
		spoil func(*Settings)
		field string
	}{
		"unknown kind":                 {KindRSS, func(s *Settings) { s.Kind = "twitter" }, "kind"},
		"no URL":                       {KindRSS, func(s *Settings) { s.URL = "" }, "url"},
		"file URL":                     {KindRSS, func(s *Settings) { s.URL = "file:///etc/passwd" }, "url"},
		"URL with a user":              {KindRSS, func(s *Settings) { s.URL = "https://me:word@example.com" }, "url"},
		"URL too long":                 {KindRSS, func(s *Settings) { s.URL = "https://example.com/" + strings.Repeat("a", 2048) }, "url"},
		"unencrypted URL":              {KindNewsAPI, func(s *Settings) { s.URL = "http://example.com" }, "url"},
		"not a duration":               {KindRSS, func(s *Settings) { s.Interval = "often" }, "interval"},
		"interval too short":           {KindRSS, func(s *Settings) { s.Interval = "59s" }, "interval"},
		"interval too long":            {KindRSS, func(s *Settings) { s.Interval = "25h" }, "interval"},
		"negative quota":               {KindRSS, func(s *Settings) { s.Quota = -1 }, "quota"},
		"no tags":                      {KindRSS, func(s *Settings) { s.Tags = nil }, "tags"},
		"too many tags":                {KindRSS, func(s *Settings) { s.Tags = strings.Split(strings.Repeat("a,", 20)+"b", ",") }, "tags"},
		"blank tag":                    {KindRSS, func(s *Settings) { s.Tags = []string{"a", " "} }, "tags[1]"},
		"tag too long":                 {KindRSS, func(s *Settings) { s.Tags = []string{strings.Repeat("é", 51)} }, "tags[0]"},
		"duplicate tag":                {KindRSS, func(s *Settings) { s.Tags = []string{"a", "a"} }, "tags[1]"},
		"unknown match":                {KindRSS, func(s *Settings) { s.Match = "some" }, "match"},
		"tag with a control character": {KindRSS, func(s *Settings) { s.Tags = []string{"a\ab"} }, "tags[0]"},
		"tag with a line break":        {KindRSS, func(s *Settings) { s.Tags = []string{"a\nb"} }, "tags[0]"},
		"six tags with match all":      {KindRSS, func(s *Settings) { s.Match, s.Tags = MatchAll, []string{"a", "b", "c", "d", "e", "f"} }, "tags"},
		"match for newsapi":            {KindNewsAPI, func(s *Settings) { s.Match = MatchAll }, "match"},
		"invalid language":             {KindNewsAPI, func(s *Settings) { s.Language = "English" }, "language"},
		"too many pages":               {KindNewsAPI, func(s *Settings) { s.Pages = 11 }, "pages"},
		"key for rss":                  {KindRSS, func(s *Settings) { s.Key = "ASSAY_NEWSAPI_KEY" }, "keyVariable"},
		"variable of another secret":   {KindNewsAPI, func(s *Settings) { s.Key = "AWS_SECRET_ACCESS_KEY" }, "keyVariable"},
		"key instead of a variable":    {KindNewsAPI, func(s *Settings) { s.Key = "0123456789abcdef" }, "keyVariable"},
	} {
		s := Settings{Kind: c.kind, Tags: []string{"AI"}}
		if c.kind == KindRSS {
			s.URL = "https://example.com/feed"
		}
		s = s.withDefaults()
		c.spoil(&s)
		if found := s.check(testConfig); len(found) == 0 || found[0].Field != "body."+c.field {
			t.Errorf("%s: got errors %v, want one for field %s", name, found, c.field)
		}
	}
	local := Settings{Kind: KindNewsAPI, URL: "http://127.0.0.1:1234/v2/everything", Tags: []string{"AI"}}.withDefaults()
	if found := local.check(testConfig); len(found) != 0 {
		t.Errorf("a server in an allowed network: got errors %v, want none", found)
	}
}
