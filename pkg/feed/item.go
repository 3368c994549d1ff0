package feed

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The sentiments of an item.
const (
	Positive = "positive"
	Neutral  = "neutral"
	Negative = "negative"
)

// Limits of a submission, those of the seed first.
const (
	maxSourceID   = 256 // characters
	MaxTags       = 5
	maxTag        = 50  // characters
	maxSnippet    = 200 // characters
	MaxText       = 10_000
	maxURL        = 2048      // bytes
	maxMetadata   = 50        // entries
	maxMetaText   = 2_000     // characters of a name or a text
	maxMetaBytes  = 256 << 10 // of all names and texts; DynamoDB takes 400 KB of an item
	maxMetaNumber = 1e100     // DynamoDB takes up to 1e126
)

// ClockSkew is how far in the future a submission's time may lie.
const ClockSkew = 5 * time.Minute

var (
	sourceTypes   = []string{"newsapi", "twitter", "reddit"}
	sentiments    = []string{Positive, Neutral, Negative}
	sourceIDForm  = regexp.MustCompile(`^[a-z]+#[a-zA-Z0-9_-]+$`)
	modelVersions = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)
)

// ValidSourceID reports whether an item can have the id.
func ValidSourceID(sourceID string) bool {
	return len(sourceID) <= maxSourceID && sourceIDForm.MatchString(sourceID)
}

// Submission is an item before it is accepted.
type Submission struct {
	SourceID    string         `json:"sourceId" doc:"the source's id of the item: <sourceType>#<stable id>" pattern:"^[a-z]+#[a-zA-Z0-9_-]+$" maxLength:"256" example:"newsapi#article-abc123"`
	SourceType  string         `json:"sourceType" enum:"newsapi,twitter,reddit"`
	IngestedAt  string         `json:"ingestedAt,omitempty" format:"date-time" doc:"now by default"`
	SourceURL   string         `json:"sourceUrl,omitempty" format:"uri" doc:"an https URL"`
	Text        string         `json:"text,omitempty" maxLength:"10000" doc:"analyzed in full; the first 200 characters are stored as textSnippet"`
	MatchedTags []string       `json:"matchedTags" minItems:"1" maxItems:"5" doc:"1 to 5, each of at most 50 characters"`
	Metadata    map[string]any `json:"metadata,omitempty" doc:"strings, numbers and booleans; at most 50 entries, with names and strings of at most 2,000 characters each and 256 KiB in total"`
}

// Violation is an invalid field of a submission.
type Violation struct{ Field, Message string }

// Check returns the violations of a submission that arrives now, none if it can be accepted. Source
// types in also are allowed in addition to the seed's.
func (s Submission) Check(now time.Time, also ...string) []Violation {
	var found []Violation
	types := slices.Concat(sourceTypes, also)
	wrong := func(field, format string, args ...any) {
		found = append(found, Violation{field, fmt.Sprintf(format, args...)})
	}
	switch {
	case len(s.SourceID) > maxSourceID:
		wrong("sourceId", "is longer than %d characters", maxSourceID)
	case !sourceIDForm.MatchString(s.SourceID):
		wrong("sourceId", "does not match %s", sourceIDForm)
	case slices.Contains(types, s.SourceType) && !strings.HasPrefix(s.SourceID, s.SourceType+"#"):
		wrong("sourceId", "does not begin with the source type %s#", s.SourceType)
	}
	if !slices.Contains(types, s.SourceType) {
		wrong("sourceType", "is not one of %s", strings.Join(types, ", "))
	}
	if s.IngestedAt != "" {
		at, err := time.Parse(time.RFC3339Nano, s.IngestedAt)
		switch {
		case err != nil || at.Unix() < 0:
			wrong("ingestedAt", "is not an ISO 8601 time with a zone, such as 2025-11-16T14:30:00.000Z")
		case at.After(now.Add(ClockSkew)):
			wrong("ingestedAt", "is more than %s in the future", ClockSkew)
		}
	}
	if s.SourceURL != "" && !secure(s.SourceURL) {
		wrong("sourceUrl", "is not an https URL of at most %d bytes", maxURL)
	}
	if utf8.RuneCountInString(s.Text) > MaxText {
		wrong("text", "is longer than %d characters", MaxText)
	}
	if n := len(s.MatchedTags); n < 1 || n > MaxTags {
		wrong("matchedTags", "has %d tags; 1 to %d are allowed", n, MaxTags)
	}
	for i, tag := range s.MatchedTags[:min(len(s.MatchedTags), MaxTags)] {
		switch {
		case utf8.RuneCountInString(tag) > maxTag:
			wrong(fmt.Sprintf("matchedTags[%d]", i), "is longer than %d characters", maxTag)
		case strings.TrimSpace(tag) == "":
			wrong(fmt.Sprintf("matchedTags[%d]", i), "is blank")
		}
	}
	return append(found, checkMetadata(s.Metadata)...)
}

func secure(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= maxURL && u.Scheme == "https" && u.Hostname() != ""
}

func checkMetadata(metadata map[string]any) []Violation {
	if len(metadata) > maxMetadata {
		return []Violation{{"metadata", fmt.Sprintf("has more than %d entries", maxMetadata)}}
	}
	bytes := 0
	for name, value := range metadata {
		bytes += len(name)
		if name == "" || utf8.RuneCountInString(name) > maxMetaText {
			return []Violation{{"metadata", "has a name that is empty or too long"}}
		}
		switch value := value.(type) {
		case bool, nil:
		case string:
			if utf8.RuneCountInString(value) > maxMetaText {
				return []Violation{{"metadata", fmt.Sprintf("has a string of more than %d characters", maxMetaText)}}
			}
			bytes += len(value)
		case float64:
			if size := math.Abs(value); size != 0 && (size > maxMetaNumber || size < 1/maxMetaNumber) {
				return []Violation{{"metadata", "has a number that cannot be stored"}}
			}
		default:
			return []Violation{{"metadata", "may hold only strings, numbers and booleans"}}
		}
	}
	if bytes > maxMetaBytes {
		return []Violation{{"metadata", fmt.Sprintf("has more than %d bytes of names and strings", maxMetaBytes)}}
	}
	return nil
}

// Stamped returns the submission with its time in TimeLayout: the given time, or now.
func (s Submission) Stamped(now time.Time) Submission {
	at := now
	if given, err := time.Parse(time.RFC3339Nano, s.IngestedAt); err == nil {
		at = given
	}
	s.IngestedAt = at.UTC().Format(TimeLayout)
	return s
}

// Item returns the pending item of a checked submission. Its time is that of Stamped.
func (s Submission) Item(now time.Time) Item {
	s = s.Stamped(now)
	return Item{
		SourceID: s.SourceID, IngestedAt: s.IngestedAt, SourceType: s.SourceType, SourceURL: s.SourceURL,
		TextSnippet: Snippet(s.Text), Sentiment: pendingSentiment, Score: pendingScore, ModelVersion: pendingModel,
		MatchedTags: union(nil, s.MatchedTags), Metadata: s.Metadata, Status: Pending,
	}
}

// union adds tags to those that an item has, up to the limit. It removes none.
func union(have, more []string) []string {
	all := slices.Clone(have)
	for _, tag := range more {
		if len(all) < MaxTags && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}
