package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// loneSurrogateAt begins the error of jsonFormat for half of a surrogate pair. The path of its field follows.
const loneSurrogateAt = "contains a lone surrogate at "

// LoneSurrogate returns the error for the first string of a valid JSON document with a lone surrogate, such as \ud800:
// an escape that stands for no character. Decoders replace it by U+FFFD without an error. field is the name of the
// document in the error, such as body.
func LoneSurrogate(field string, document []byte) (wrong FieldError, found bool) {
	path, found := loneSurrogate(document)
	return loneSurrogateIn(field, path), found
}

func loneSurrogateIn(field, path string) FieldError {
	return FieldError{Field: shorten(field + path), Message: `contains a lone surrogate, an escape such as \ud800 that is no character`}
}

// level is an object or a list that contains the current position of a document.
type level struct {
	list  bool
	index int    // in a list
	name  []byte // of the current member of an object, as written; nil before the name
}

// loneSurrogate returns the path of the first value with a lone surrogate, or of the object if it is in the name of a member.
func loneSurrogate(document []byte) (path string, found bool) {
	if !bytes.Contains(document, []byte(`\u`)) {
		return "", false
	}
	var levels []level
	for at := 0; at < len(document); at++ {
		last := len(levels) - 1
		switch document[at] {
		case '{', '[':
			levels = append(levels, level{list: document[at] == '['})
		case '}', ']':
			levels = levels[:last]
		case ',':
			levels[last].index++
			levels[last].name = nil
		case '"':
			text := document[at+1:]
			text = text[:stringEnd(text)]
			at += len(text) + 1
			isName := last >= 0 && !levels[last].list && levels[last].name == nil
			if hasLoneSurrogate(text) {
				if isName {
					levels = levels[:last]
				}
				return pathOf(levels), true
			}
			if isName {
				levels[last].name = text
			}
		}
	}
	return "", false
}

// stringEnd returns the length of a string up to its closing quote.
func stringEnd(text []byte) int {
	for at := 0; ; at++ {
		switch text[at] {
		case '"':
			return at
		case '\\':
			at++
		}
	}
}

// pathOf returns the path of the current position, such as .items[3].text.
func pathOf(levels []level) string {
	var path strings.Builder
	for _, l := range levels {
		if l.list {
			fmt.Fprintf(&path, "[%d]", l.index)
			continue
		}
		var name string
		_ = json.Unmarshal(slices.Concat([]byte{'"'}, l.name, []byte{'"'}), &name) // cannot fail: the document is valid
		path.WriteString("." + name)
	}
	return path.String()
}

// hasLoneSurrogate reports whether the text of a JSON string has an escape of half a surrogate pair.
func hasLoneSurrogate(text []byte) bool {
	for at := bytes.IndexByte(text, '\\'); at >= 0; at = bytes.IndexByte(text, '\\') {
		text = text[at:]
		first, ok := escapedUnit(text)
		if !ok {
			text = text[len(`\n`):]
			continue
		}
		text = text[unitLength:]
		if !utf16.IsSurrogate(first) {
			continue
		}
		if second, ok := escapedUnit(text); !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		text = text[unitLength:]
	}
	return false
}

// unitLength is the length of the escape of a UTF-16 code unit, such as \u00e9.
const unitLength = 6

// escapedUnit returns the code unit whose escape text starts with.
func escapedUnit(text []byte) (unit rune, ok bool) {
	if len(text) < unitLength || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:unitLength]), 16, 16)
	return rune(n), err == nil
}
