package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/tag"
)

// Limits of a submission. Those from the seed come first. Package services/ingest/feed/check applies
// all of them.
const (
	MaxSourceID  = 256 // bytes
	MaxTags      = 5
	MaxTag       = tag.Max   // characters
	maxSnippet   = 200       // characters
	MaxText      = 10_000    // characters
	MaxURL       = 2048      // bytes
	MaxMetadata  = 50        // entries
	MaxMetaText  = 2_000     // characters of a name or a text
	MaxMetaBytes = 256 << 10 // of all names and texts; DynamoDB limits an item to 400 KB
)

// ClockSkew is the maximum amount by which a submission's time may be in the future.
const ClockSkew = 5 * time.Minute

// SourceIDForm matches source ids.
const SourceIDForm = `^[a-z]+#[a-zA-Z0-9_-]+$`

var sourceIDForm = regexp.MustCompile(SourceIDForm)

// sourceSender is the prefix of the name of a source as a sender. It cannot begin the name of an owner.
const sourceSender = "source "

// SourceSender returns a source as the sender of items.
func SourceSender(name string) string { return sourceSender + name }

// FromSource reports whether a sender is a source.
func FromSource(sender string) bool { return strings.HasPrefix(sender, sourceSender) }

// SourceOf returns the name of the source that is a sender, or "" if the sender is none.
func SourceOf(sender string) string {
	name, ok := strings.CutPrefix(sender, sourceSender)
	if !ok {
		return ""
	}
	return name
}

// ValidSourceID reports whether an item can have the id.
func ValidSourceID(sourceID string) bool {
	return len(sourceID) <= MaxSourceID && sourceIDForm.MatchString(sourceID)
}

// Submission is an item before it is accepted.
type Submission struct {
	Sender      string         `json:"-"` // who sent it, see Item; not part of the document
	SourceID    string         `json:"sourceId" doc:"the item's id at its source: <sourceType>#<stable id>" pattern:"^[a-z]+#[a-zA-Z0-9_-]+$" maxLength:"256" example:"newsapi#article-abc123"`
	SourceType  string         `json:"sourceType" enum:"newsapi,twitter,reddit"`
	IngestedAt  string         `json:"ingestedAt,omitempty" format:"date-time" doc:"default: now"`
	SourceURL   string         `json:"sourceUrl,omitempty" format:"uri" doc:"an https URL without spaces, user name and password"`
	Text        string         `json:"text,omitempty" maxLength:"10000" doc:"analyzed in full; the first 200 characters are stored as textSnippet"`
	MatchedTags []string       `json:"matchedTags" minItems:"1" maxItems:"5" doc:"1 to 5 tags of at most 50 characters, at least one of which is visible, without control characters; leading and trailing spaces are removed, and consecutive spaces are collapsed"`
	Metadata    table.Document `json:"metadata,omitempty" doc:"strings, numbers and booleans; a number has at most 38 significant digits, all of which are kept, and a magnitude of 1E-130 to 9.99E125, or is 0; at most 50 entries, with names and strings of at most 2,000 characters each and 256 KiB in total. The analysis sets language"`
}

// Time returns the submitted time. RFC 3339 permits a lower-case t and z (section 5.6).
func (s Submission) Time() (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s.IngestedAt))
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of the submission %s: %w", s.SourceID, err)
	}
	return at, nil
}

// Stamped returns the submission with its time in TimeLayout: the submitted time, or now if there is
// none.
func (s Submission) Stamped(now time.Time) Submission {
	at := now
	if given, err := s.Time(); err == nil {
		at = given
	}
	s.IngestedAt = at.UTC().Format(TimeLayout)
	return s
}

// Item returns the pending item of a valid submission. Its time is that of Stamped.
func (s Submission) Item(now time.Time) Item {
	s = s.Stamped(now)
	return Item{
		SourceID: s.SourceID, IngestedAt: s.IngestedAt, SourceType: s.SourceType, SourceURL: s.SourceURL, Sender: s.Sender,
		TextSnippet: Snippet(s.Text), Sentiment: pendingSentiment, Score: pendingScore, ModelVersion: pendingModel,
		MatchedTags: union(nil, s.MatchedTags), Metadata: s.Metadata, Status: Pending,
	}
}

// Expiring returns the item with an expiry time of now plus after. It never expires if after is 0.
func (i Item) Expiring(now time.Time, after time.Duration) Item {
	if i.ExpiresAt = 0; after > 0 {
		i.ExpiresAt = now.Add(after).Unix()
	}
	return i
}

// Tag returns a tag in its stored form: without leading and trailing spaces, and with single spaces
// between words.
func Tag(text string) string { return tag.Spaced(text) }

// FoldTag returns the form in which tags are compared and counted; see tag.Fold. Items keep their tags as given.
func FoldTag(text string) string { return tag.Fold(text) }

// union adds tags to those that an item has, up to MaxTags. It removes none.
func union(have, more []string) []string {
	all := slices.Clone(have)
	for _, tag := range more {
		if len(all) < MaxTags && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}

// Snippet returns the first 200 characters of a text without its control characters. Line breaks
// and tabs become spaces, so that words stay separate.
func Snippet(text string) string {
	runes := []rune(text[:min(len(text), maxSnippet*utf8.UTFMax)])
	kept := make([]rune, 0, maxSnippet)
	for _, r := range runes[:min(len(runes), maxSnippet)] {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			kept = append(kept, ' ')
		case !unicode.IsControl(r):
			kept = append(kept, r)
		}
	}
	return string(kept)
}

// DocumentType is the media type of a Document.
const DocumentType = "application/json"

// Document returns the submission in the form of the object at TextKey. It contains the entire
// submission, so that the fields of an item always come from the same submission. The
// submission must have been returned by Stamped.
func (s Submission) Document() ([]byte, error) {
	document, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the submission %s: %w", s.SourceID, err)
	}
	return document, nil
}

// ParseDocument parses the Document of a submission. It returns an error if the document has a different
// source id or no valid time.
func ParseDocument(sourceID string, document []byte) (Submission, error) {
	var s Submission
	if err := json.Unmarshal(document, &s); err != nil {
		return Submission{}, fmt.Errorf("read the submission %s: %w", sourceID, err)
	}
	if s.SourceID != sourceID {
		return Submission{}, fmt.Errorf("read the submission %s: its source id is %q", sourceID, s.SourceID)
	}
	if at, err := parseTime(s.IngestedAt); err != nil || at.IsZero() {
		return Submission{}, fmt.Errorf("read the submission %s: its time is %q", sourceID, s.IngestedAt)
	}
	return s, nil
}

// Of returns the item with the URL, snippet and metadata of a submission. Source id, time, tags and
// state are unchanged.
func (i Item) Of(s Submission) Item {
	i.SourceURL, i.TextSnippet, i.Metadata = s.SourceURL, Snippet(s.Text), s.Metadata
	return i
}

// IsOf reports whether the item has the URL, snippet and metadata of a submission.
func (i Item) IsOf(s Submission) bool {
	return i.SourceURL == s.SourceURL && i.TextSnippet == Snippet(s.Text) && maps.EqualFunc(i.Metadata, s.Metadata, func(a, b any) bool { return reflect.DeepEqual(a, b) })
}
