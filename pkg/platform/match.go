package platform

import (
	"errors"
	"strconv"
	"strings"
)

var (
	// ErrUnconditional means that a document exists and the caller of a change specified no revision.
	ErrUnconditional = errors.New("the document exists, but no revision was specified")
	// ErrOtherRevision means that the revision of a document differs from the one that the caller of a change specified.
	ErrOtherRevision = errors.New("the document has a different revision")
)

// Match is the precondition of a change to a document, as the headers If-Match and If-None-Match specify it. The zero Match
// allows only the creation.
type Match struct {
	Revision int64 // 0 if unspecified
	Any      bool  // any revision
	None     bool  // the document must not exist
}

// ETag returns the entity tag of a revision.
func ETag(revision int64) string { return strconv.Quote(strconv.FormatInt(revision, 10)) }

// MatchOf parses an If-Match header. The lowest revision is first: another tag matches no revision.
func MatchOf(header string, first int64) Match {
	match := Match{Any: header == "*"}
	if header != "" && !match.Any {
		revision, err := strconv.ParseInt(strings.Trim(header, `"`), 10, 64)
		if err != nil || revision < first {
			revision = -1
		}
		match.Revision = revision
	}
	return match
}

// Check returns ErrUnconditional or ErrOtherRevision unless a document with a revision may be changed.
func (m Match) Check(revision int64, exists bool) error {
	switch {
	case !exists && (m.Any || m.Revision != 0), exists && m.None:
		return ErrOtherRevision
	case exists && !m.Any && m.Revision == 0:
		return ErrUnconditional
	case exists && !m.Any && m.Revision != revision:
		return ErrOtherRevision
	}
	return nil
}
