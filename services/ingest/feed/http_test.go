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

// TestLoneSurrogates checks that half of a surrogate pair is an error in every string of an item, and that a whole pair and
// U+FFFD are not.
func TestLoneSurrogates(t *testing.T) {
	item := func(sourceID, url, text, tag, name, value string) string {
		return `{"sourceId":"reddit#` + sourceID + `","sourceType":"reddit","sourceUrl":"https://a.example/` + url + `","text":"` + text +
			`","matchedTags":["a","` + tag + `"],"metadata":{"` + name + `":"` + value + `"}}`
	}
	for body, want := range map[string]string{
		item("1", "", `\ud83d\udc4d`, `\ud83d\udc4d`, `\ud83d\udc4d`, `\ud83d\udc4d`): "",
		item("1", "", `\ufffd`, "b", "\ufffd", `\ufffd`):                              "",
		item("1", "", `a \\ud800`, "b", "c", "d"):                                     "",
		item(`\ud800`, "", "a", "b", "c", "d"):                                        "body.sourceId",
		item("1", `\udfff`, "a", "b", "c", "d"):                                       "body.sourceUrl",
		item("1", "", `a\ud800 b`, "b", "c", "d"):                                     "body.text",
		item("1", "", `\udc4d\ud83d`, "b", "c", "d"):                                  "body.text",
		item("1", "", "a", `b\udfff`, "c", "d"):                                       "body.matchedTags[1]",
		item("1", "", "a", "b", `c\ud800`, "d"):                                       "body.metadata",
		item("1", "", "a", "b", "c", `\ud800`):                                        "body.metadata.c",
		item("1", "", "a", `\u200b`, "c", "d"):                                        "body.matchedTags[1]",
	} {
		_, wrong := parseItem(json.RawMessage(body))
		if got := append(wrong, web.FieldError{})[0].Field; got != want {
			t.Errorf("%s: got %v, want %q", body, wrong, want)
		}
	}
}
