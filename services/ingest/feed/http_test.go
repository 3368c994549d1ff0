package feed

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
)

// A body that cannot be read completely is a client error, unless it is too large or too slow.
func TestTruncatedBodies(t *testing.T) {
	for err, want := range map[error]int{
		io.ErrUnexpectedEOF:           http.StatusBadRequest,
		errors.New("malformed chunk"): http.StatusBadRequest,
		&http.MaxBytesError{Limit: 1}: http.StatusRequestEntityTooLarge,
		web.ErrBodyStalled:            http.StatusRequestTimeout,
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/feed/items", iotest.ErrReader(err))
		_, _, failed := openItems(r, web.NewBodies(web.DefaultBodies))
		w := httptest.NewRecorder()
		web.WriteError(w, r, failed)
		if w.Code != want {
			t.Errorf("%v: got status %d, want %d", err, w.Code, want)
		}
	}
}

// TestTagWhitespaceIsNormalized checks that tags that differ only in whitespace become equal.
func TestTagWhitespaceIsNormalized(t *testing.T) {
	for _, tag := range []string{"AI now", " AI now ", "AI \t\u00a0now\n"} {
		raw, err := json.Marshal(feed.Submission{SourceID: "reddit#1", SourceType: "reddit", MatchedTags: []string{tag}})
		if err != nil {
			t.Fatal(err)
		}
		if got, wrong := parseItem(raw); len(wrong) > 0 || got.MatchedTags[0] != "AI now" {
			t.Errorf("tag %q: got %q, errors %v, want AI now", tag, got.MatchedTags, wrong)
		}
	}
}

func TestFieldNamesAreExact(t *testing.T) {
	for body, want := range map[string]string{
		`{"sourceId":"reddit#1","sourceType":"reddit","matchedTags":["a"]}`:                     "",
		`{"SOURCEID":"reddit#1","sourceType":"reddit","matchedTags":["a"]}`:                     "body.SOURCEID",
		`{"sourceId":"reddit#1","sourceType":"reddit","matchedTags":["a"],"matchedtags":["b"]}`: "body.matchedtags",
	} {
		_, wrong := parseItem(json.RawMessage(body))
		if got := append(wrong, web.FieldError{})[0].Field; got != want {
			t.Errorf("%s: got %v, want %s", body, wrong, want)
		}
	}
}

// TestLoneSurrogates checks that half of a surrogate pair in a tag is an error, and a whole pair is not.
func TestLoneSurrogates(t *testing.T) {
	for tag, want := range map[string]string{
		`\ud83d\udc4d`: "", `\ud800`: "body.matchedTags[0]", `a\udfff`: "body.matchedTags[0]", `\udc4d\ud83d`: "body.matchedTags[0]", `\u200b`: "body.matchedTags[0]",
	} {
		_, wrong := parseItem(json.RawMessage(`{"sourceId":"reddit#1","sourceType":"reddit","matchedTags":["` + tag + `"]}`))
		if got := append(wrong, web.FieldError{})[0].Field; got != want {
			t.Errorf("%s: got %v, want %s", tag, wrong, want)
		}
	}
}
