package feed

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
)

// ObjectPrefix begins the keys of all texts.
const ObjectPrefix = "feed/"

// Accepted returns the event that an item waits for its analysis, with its text in the given
// bucket. For an item that was given up the id includes the time of that, since the stream may
// still drop the earlier id as a duplicate. It returns an error for a time that is not in
// TimeLayout.
func (i Item) Accepted(bucket string) (event.Event, error) {
	at, err := i.Ingested()
	failed, wrong := i.Failed()
	if err := errors.Join(err, wrong); err != nil {
		return event.Event{}, fmt.Errorf("the times of %s: %w", i.SourceID, err)
	}
	accepted := NewAccepted(&event.FeedItemAccepted{
		SourceId: i.SourceID, IngestedAt: timestamppb.New(at), SourceType: i.SourceType, Bucket: bucket, Key: TextKey(i.SourceID),
	})
	if i.GivenUp() {
		accepted.ID = fmt.Sprintf("%s/%d", accepted.ID, failed.UnixMilli())
	}
	return accepted, nil
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

const (
	// keyPart is the length of a part of a key: a file system that stores objects as files accepts
	// names of 255 bytes.
	keyPart = 200
	// keyMore ends a part that another follows, so that no part is the name of both a file and a
	// directory.
	keyMore = "-/"
)

// TextKey returns the key of the object that holds the submission of an item, with its whole text,
// before and after the analysis. The key contains no time, so that all writers of one item share
// it. The source id is encoded in hexadecimal digits: two ids that differ only in case are two
// files even in a case-insensitive file system.
func TextKey(sourceID string) string {
	digits := hex.EncodeToString([]byte(sourceID))
	var name strings.Builder
	for len(digits) > keyPart {
		name.WriteString(digits[:keyPart] + keyMore)
		digits = digits[keyPart:]
	}
	name.WriteString(digits)
	return blob.Key(ObjectPrefix, name.String())
}

var errNoTextKey = errors.New("not the key of an item's text")

// ParseTextKey returns the source id of a key.
func ParseTextKey(key string) (sourceID string, err error) {
	name, ok := blob.CutKey(ObjectPrefix, key)
	id, err := hex.DecodeString(strings.ReplaceAll(name, keyMore, ""))
	if !ok || err != nil || !ValidSourceID(string(id)) || TextKey(string(id)) != key {
		return "", fmt.Errorf("%q: %w", key, errNoTextKey)
	}
	return string(id), nil
}
