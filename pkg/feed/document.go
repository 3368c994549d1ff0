package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
)

// DocumentType is the media type of a Document.
const DocumentType = "application/json"

// Document returns the submission in the form of the object at TextKey. It contains the whole
// submission, so that the fields of an item never come from two of them. The submission must be
// Stamped.
func (s Submission) Document() ([]byte, error) {
	document, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the submission %s: %w", s.SourceID, err)
	}
	return document, nil
}

// ParseDocument parses the Document of a source id's submission.
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
