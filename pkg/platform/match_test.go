package platform

import (
	"errors"
	"testing"
)

// TestMatchOf checks which changes of a document with a revision an If-Match header allows. The ETags are those of HTTP, RFC 9110.
func TestMatchOf(t *testing.T) {
	for _, test := range []struct {
		header          string
		first, revision int64
		want            error
	}{
		{"", 1, 0, nil}, {"", 1, 3, ErrUnconditional}, {"*", 1, 3, nil}, {"*", 1, 0, ErrOtherRevision},
		{ETag(3), 1, 3, nil}, {"3", 1, 3, nil}, {`"2"`, 1, 3, ErrOtherRevision}, {`"x"`, 1, 3, ErrOtherRevision},
		{ETag(0), 1, 0, ErrOtherRevision}, {ETag(0), 0, 0, nil}, {ETag(-1), 0, 0, ErrOtherRevision},
	} {
		if got := MatchOf(test.header, test.first).Check(test.revision, test.revision > 0); !errors.Is(got, test.want) {
			t.Errorf("If-Match %s, first revision %d, revision %d: got %v, want %v", test.header, test.first, test.revision, got, test.want)
		}
	}
}
