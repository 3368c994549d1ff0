package feed

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
)

// ObjectPrefix begins the keys of all texts.
const ObjectPrefix = "feed/"

// Accepted is the event that an item waits for its analysis, its text being in
// the given bucket. Of an item that was given up its id has the time of that, since
// the stream may still take the id of the event that was given up for a repeat. It
// returns an error for a time that is not in TimeLayout.
func (i Item) Accepted(bucket string) (event.Event, error) {
	at, err := i.Ingested()
	failed, wrong := i.Failed()
	if err := errors.Join(err, wrong); err != nil {
		return event.Event{}, fmt.Errorf("the times of %s: %w", i.SourceID, err)
	}
	accepted := event.NewFeedItemAccepted(&event.FeedItemAccepted{
		SourceId: i.SourceID, IngestedAt: timestamppb.New(at), SourceType: i.SourceType, Bucket: bucket, Key: TextKey(i.SourceID),
	})
	if i.GivenUp() {
		accepted.ID = fmt.Sprintf("%s/%d", accepted.ID, failed.UnixMilli())
	}
	return accepted, nil
}

// Snippet is the first 200 characters of a text without its control characters.
// Line breaks and tabs become spaces, so that words stay apart.
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
	// keyPart is how long a part of a key is: a file system that keeps objects
	// as files takes names of 255 bytes.
	keyPart = 200
	// keyMore ends a part that another follows, so that none is a file's and a
	// folder's name at once.
	keyMore = "-/"
)

// TextKey is the key of the object that holds the submission of an item, with its
// whole text, before and after the analysis. The key holds no time, so that all
// writers of one item meet there. The source id is in it as hexadecimal digits: two
// that differ in upper and lower case only are two files also in a file system that
// ignores case.
func TextKey(sourceID string) string {
	name := hex.EncodeToString([]byte(sourceID))
	var key strings.Builder
	key.WriteString(ObjectPrefix)
	for len(name) > keyPart {
		key.WriteString(name[:keyPart] + keyMore)
		name = name[keyPart:]
	}
	key.WriteString(name)
	return key.String()
}

var errNoTextKey = errors.New("not the key of an item's text")

// ParseTextKey returns the source id that a key was made from.
func ParseTextKey(key string) (sourceID string, err error) {
	name, ok := strings.CutPrefix(key, ObjectPrefix)
	id, err := hex.DecodeString(strings.ReplaceAll(name, keyMore, ""))
	if !ok || err != nil || !ValidSourceID(string(id)) || TextKey(string(id)) != key {
		return "", fmt.Errorf("%q: %w", key, errNoTextKey)
	}
	return string(id), nil
}
