package feed

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
)

// ObjectPrefix is the prefix of the keys of all texts.
const ObjectPrefix = "feed/"

const (
	// keyPart is the maximum length of a part of a key, because file systems that store objects as files
	// limit names to 255 bytes.
	keyPart = 200
	// keyMore is the suffix of every part except the last, so that no part is the name of both a
	// file and a directory.
	keyMore = "-/"
)

// TextKey returns the key of the object that stores the submission of an item, with its entire text,
// before and after the analysis. The key contains no time, so that all writers of one item share
// it. The source id is encoded in hexadecimal digits, so that ids that differ only in case are
// different files even in a case-insensitive file system.
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

// ParseTextKey returns the source id of a key. It returns an error if the key was not returned by TextKey.
func ParseTextKey(key string) (sourceID string, err error) {
	name, ok := blob.CutKey(ObjectPrefix, key)
	id, err := hex.DecodeString(strings.ReplaceAll(name, keyMore, ""))
	if !ok || err != nil || !ValidSourceID(string(id)) || TextKey(string(id)) != key {
		return "", fmt.Errorf("%q: %w", key, errNoTextKey)
	}
	return string(id), nil
}
