package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
)

// DocumentType is the media type of a Document.
const DocumentType = "application/json"

// Document is the submission as the object at TextKey holds it. It is the whole
// submission, so that what an item says never comes from two of them. The
// submission must be Stamped.
func (s Submission) Document() ([]byte, error) {
	document, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the submission %s: %w", s.SourceID, err)
	}
	return document, nil
}

// ParseDocument reads the submission of a source id from its Document.
func ParseDocument(sourceID string, document []byte) (Submission, error) {
	var s Submission
	if err := json.Unmarshal(document, &s); err != nil {
		return Submission{}, fmt.Errorf("read the submission %s: %w", sourceID, err)
	}
	if s.SourceID != sourceID {
		return Submission{}, fmt.Errorf("read the submission %s: it has the source id %q", sourceID, s.SourceID)
	}
	if at, err := parseTime(s.IngestedAt); err != nil || at.IsZero() {
		return Submission{}, fmt.Errorf("read the submission %s: its time is %q", sourceID, s.IngestedAt)
	}
	return s, nil
}

// Of returns the item with the URL, snippet and metadata of a submission. Source id,
// time, tags and state stay.
func (i Item) Of(s Submission) Item {
	i.SourceURL, i.TextSnippet, i.Metadata = s.SourceURL, Snippet(s.Text), s.Metadata
	return i
}

// IsOf reports whether the item has the URL, snippet and metadata of a submission.
func (i Item) IsOf(s Submission) bool {
	return i.SourceURL == s.SourceURL && i.TextSnippet == Snippet(s.Text) && maps.EqualFunc(i.Metadata, s.Metadata, func(a, b any) bool { return reflect.DeepEqual(a, b) })
}
