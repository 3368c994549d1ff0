package check_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/ingest/feed/check"
)

var now = time.Date(2025, 11, 16, 14, 30, 0, 0, time.UTC)

func good() feed.Submission {
	return feed.Submission{SourceID: "newsapi#article-abc_123", SourceType: "newsapi", Text: "good", MatchedTags: []string{"AI"}}
}

func TestSubmission(t *testing.T) {
	long := strings.Repeat("x", 256-len("newsapi#"))
	for name, c := range map[string]struct {
		change func(*feed.Submission)
		field  string // the invalid field; empty for none
	}{
		"unchanged":           {func(*feed.Submission) {}, ""},
		"no text":             {func(s *feed.Submission) { s.Text = "" }, ""},
		"longest id":          {func(s *feed.Submission) { s.SourceID = "newsapi#" + long }, ""},
		"id too long":         {func(s *feed.Submission) { s.SourceID = "newsapi#x" + long }, "sourceId"},
		"id without #":        {func(s *feed.Submission) { s.SourceID = "invalid format" }, "sourceId"},
		"id without a suffix": {func(s *feed.Submission) { s.SourceID = "newsapi#" }, "sourceId"},
		"id with two #":       {func(s *feed.Submission) { s.SourceID = "newsapi#a#b" }, "sourceId"},
		"id in capitals":      {func(s *feed.Submission) { s.SourceID = "NewsAPI#a" }, "sourceId"},
		"id with a dot":       {func(s *feed.Submission) { s.SourceID = "newsapi#a.b" }, "sourceId"},
		"id with a newline":   {func(s *feed.Submission) { s.SourceID = "newsapi#a\n" }, "sourceId"},
		"id of another type":  {func(s *feed.Submission) { s.SourceID = "reddit#a" }, "sourceId"},
		"twitter":             {func(s *feed.Submission) { s.SourceID, s.SourceType = "twitter#1", "twitter" }, ""},
		"unknown type":        {func(s *feed.Submission) { s.SourceID, s.SourceType = "rss#1", "rss" }, "sourceType"},
		"time in another zone": {
			func(s *feed.Submission) { s.IngestedAt = "2025-11-16T15:30:00.5+01:00" }, "",
		},
		"slightly in the future": {func(s *feed.Submission) { s.IngestedAt = "2025-11-16T14:35:00Z" }, ""},
		"too far in the future":  {func(s *feed.Submission) { s.IngestedAt = "2025-11-16T14:35:00.001Z" }, "ingestedAt"},
		"time without a zone":    {func(s *feed.Submission) { s.IngestedAt = "2025-11-16T14:30:00" }, "ingestedAt"},
		"time in lower case":     {func(s *feed.Submission) { s.IngestedAt = "2025-11-16t14:30:00.5z" }, ""},
		"not a time":             {func(s *feed.Submission) { s.IngestedAt = "yesterday" }, "ingestedAt"},
		"before the year 0":      {func(s *feed.Submission) { s.IngestedAt = "0000-01-01T00:00:00+14:00" }, "ingestedAt"},
		"https":                  {func(s *feed.Submission) { s.SourceURL = "https://www.bbc.com/news/1?a=b#c" }, ""},
		"http":                   {func(s *feed.Submission) { s.SourceURL = "http://www.bbc.com/" }, "sourceUrl"},
		"no host":                {func(s *feed.Submission) { s.SourceURL = "https:///news" }, "sourceUrl"},
		"only a port":            {func(s *feed.Submission) { s.SourceURL = "https://:443/" }, "sourceUrl"},
		"URL with a space":       {func(s *feed.Submission) { s.SourceURL = "https://www.bbc.com/a b" }, "sourceUrl"},
		"URL in spaces":          {func(s *feed.Submission) { s.SourceURL = "https://www.bbc.com/?a= " }, "sourceUrl"},
		"URL with an override":   {func(s *feed.Submission) { s.SourceURL = "https://www.bbc.com/\u202egpj" }, "sourceUrl"},
		"URL with a password":    {func(s *feed.Submission) { s.SourceURL = "https://me:secret@www.bbc.com/" }, "sourceUrl"},
		"URL with an @":          {func(s *feed.Submission) { s.SourceURL = "https://www.bbc.com/@me?b=c:d@e%20f" }, ""},
		"longest text":           {func(s *feed.Submission) { s.Text = strings.Repeat("🙂", 10_000) }, ""},
		"text too long":          {func(s *feed.Submission) { s.Text = strings.Repeat("🙂", 10_001) }, "text"},
		"five tags":              {func(s *feed.Submission) { s.MatchedTags = []string{"a", "b", "c", "d", "e"} }, ""},
		"six tags":               {func(s *feed.Submission) { s.MatchedTags = []string{"a", "b", "c", "d", "e", "f"} }, "matchedTags"},
		"no tags":                {func(s *feed.Submission) { s.MatchedTags = nil }, "matchedTags"},
		"longest tag":            {func(s *feed.Submission) { s.MatchedTags = []string{strings.Repeat("é", 50)} }, ""},
		"tag too long":           {func(s *feed.Submission) { s.MatchedTags = []string{"a", strings.Repeat("é", 51)} }, "matchedTags[1]"},
		"blank tag":              {func(s *feed.Submission) { s.MatchedTags = []string{" \t "} }, "matchedTags[0]"},
		"tag with a NUL":         {func(s *feed.Submission) { s.MatchedTags = []string{"a\x00b"} }, "matchedTags[0]"},
		"tag with an override":   {func(s *feed.Submission) { s.MatchedTags = []string{"a", "\u202eb"} }, "matchedTags[1]"},
		"metadata": {func(s *feed.Submission) {
			s.Metadata = map[string]any{"author": "J", "likes": 5.0, "x": true, "y": nil}
		}, ""},
		"nested metadata":        {func(s *feed.Submission) { s.Metadata = map[string]any{"a": map[string]any{}} }, "metadata"},
		"empty metadata name":    {func(s *feed.Submission) { s.Metadata = map[string]any{"": "a"} }, "metadata"},
		"number out of range":    {func(s *feed.Submission) { s.Metadata = map[string]any{"a": math.MaxFloat64} }, "metadata"},
		"number close to zero":   {func(s *feed.Submission) { s.Metadata = map[string]any{"a": math.SmallestNonzeroFloat64} }, "metadata"},
		"metadata text too long": {func(s *feed.Submission) { s.Metadata = map[string]any{"a": strings.Repeat("x", 2001)} }, "metadata"},
		"too much metadata": {func(s *feed.Submission) {
			s.Metadata = map[string]any{}
			for n := range 50 {
				s.Metadata[fmt.Sprintf("%02d", n)+strings.Repeat("é", 1_998)] = strings.Repeat("é", 2_000)
			}
		}, "metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			s := good()
			c.change(&s)
			found := check.Submission(s, now)
			if c.field == "" && len(found) != 0 || c.field != "" && (len(found) != 1 || found[0].Field != "body."+c.field) {
				t.Errorf("got invalid fields %v, want %q", found, c.field)
			}
		})
	}
}

func TestEveryFieldIsReported(t *testing.T) {
	found := check.Submission(feed.Submission{SourceURL: "ftp://x", IngestedAt: "x"}, now)
	var fields []string
	for _, v := range found {
		fields = append(fields, strings.TrimPrefix(v.Field, "body."))
	}
	if got, want := strings.Join(fields, " "), "sourceId sourceType ingestedAt sourceUrl matchedTags"; got != want {
		t.Errorf("got invalid fields %s, want %s", got, want)
	}
}
