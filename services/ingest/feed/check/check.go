// Package check validates submissions to the feed, whether they are posted or polled from a
// source.
package check

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/decimal"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/pkg/web"
)

// Submission returns the invalid fields of a submission that arrives at now. It returns none if the
// submission can be accepted. The source types in also are allowed in addition to those of the
// seed.
func Submission(s feed.Submission, now time.Time, also ...string) []web.FieldError {
	var found []web.FieldError
	types := append([]string{"newsapi", "twitter", "reddit"}, also...)
	wrong := func(field, format string, args ...any) { found = append(found, fieldError(field, format, args...)) }
	switch {
	case len(s.SourceID) > feed.MaxSourceID:
		wrong("sourceId", "is longer than %d characters", feed.MaxSourceID)
	case !feed.ValidSourceID(s.SourceID):
		wrong("sourceId", "does not match %s", feed.SourceIDForm)
	case slices.Contains(types, s.SourceType) && !strings.HasPrefix(s.SourceID, s.SourceType+"#"):
		wrong("sourceId", "does not begin with the source type %s#", s.SourceType)
	}
	if !slices.Contains(types, s.SourceType) {
		wrong("sourceType", "is not one of %s", strings.Join(types, ", "))
	}
	if s.IngestedAt != "" {
		at, err := s.Time()
		switch {
		case err != nil || at.Unix() < 0:
			wrong("ingestedAt", "is not an ISO 8601 time with a zone, such as 2025-11-16T14:30:00.000Z")
		case at.After(now.Add(feed.ClockSkew)):
			wrong("ingestedAt", "is more than %s in the future", feed.ClockSkew)
		}
	}
	if s.SourceURL != "" {
		if message := URL(s.SourceURL); message != "" {
			wrong("sourceUrl", "%s", message)
		}
	}
	if utf8.RuneCountInString(s.Text) > feed.MaxText {
		wrong("text", "is longer than %d characters", feed.MaxText)
	}
	if n := len(s.MatchedTags); n < 1 || n > feed.MaxTags {
		wrong("matchedTags", "has %d tags; 1 to %d are allowed", n, feed.MaxTags)
	}
	for i, one := range s.MatchedTags[:min(len(s.MatchedTags), feed.MaxTags)] {
		if message := tag.Check(one); message != "" {
			wrong(fmt.Sprintf("matchedTags[%d]", i), "%s", message)
		}
	}
	return append(found, checkMetadata(s.Metadata)...)
}

// URL returns what is wrong with the URL of an item, or an empty string.
func URL(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > feed.MaxURL || u.Scheme != "https" || u.Hostname() == "":
		return fmt.Sprintf("is not an https URL of at most %d bytes", feed.MaxURL)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || tag.Invisible(r) }):
		return "has a space or an invisible character; encode it, a space as %20"
	case u.User != nil:
		return "has a user name or a password, which everyone could read; remove it"
	}
	return ""
}

// fieldError returns an error about a field of the submission.
func fieldError(field, format string, args ...any) web.FieldError {
	return web.FieldError{Field: "body." + field, Message: fmt.Sprintf(format, args...)}
}

func checkMetadata(metadata table.Document) []web.FieldError {
	if len(metadata) > feed.MaxMetadata {
		return []web.FieldError{fieldError("metadata", "has more than %d entries", feed.MaxMetadata)}
	}
	bytes := 0
	for name, value := range metadata {
		bytes += len(name)
		if name == "" || utf8.RuneCountInString(name) > feed.MaxMetaText {
			return []web.FieldError{fieldError("metadata", "has a name that is empty or too long")}
		}
		switch value := value.(type) {
		case bool, nil:
		case string:
			if utf8.RuneCountInString(value) > feed.MaxMetaText {
				return []web.FieldError{fieldError("metadata", "has a string of more than %d characters", feed.MaxMetaText)}
			}
			bytes += len(value)
		case float64, json.Number:
			if n, ok := decimal.Parse(fmt.Sprint(value)); !ok || table.CheckNumber(n) != nil {
				return []web.FieldError{fieldError("metadata", "has a number that cannot be stored: %s; send it as a string", table.ErrNumber)}
			}
		default:
			return []web.FieldError{fieldError("metadata", "may only contain strings, numbers and booleans")}
		}
	}
	if bytes > feed.MaxMetaBytes {
		return []web.FieldError{fieldError("metadata", "has more than %d bytes of names and strings", feed.MaxMetaBytes)}
	}
	return nil
}
