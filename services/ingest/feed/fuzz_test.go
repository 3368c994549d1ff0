package feed

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/web"
)

// FuzzItems compares the batch reader with the standard library: accepted input is one JSON object
// with the same number of items.
func FuzzItems(f *testing.F) {
	for _, body := range []string{
		"", "{}", `{"items":[]}`, submission(1, "a"), `{"items":[` + submission(1, "]},{") + `,` + submission(2, `\"`) + `]}`, `{"items":[1,{},[],null,"\u007d"]}`,
		`{"items":[{"sourceId":"reddit#1"}]} `, `{"items":[{}],"more":1}`, "{\"items\":[\"\xff\"]}", `{"items":[{}}]}`, `{"items":[{]}]}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		items, many, err := openItems(httptest.NewRequest(http.MethodPost, "/v1/feed/items", strings.NewReader(body)), web.NewBodies(1<<20))
		if err != nil {
			return
		}
		if !many {
			raw, err := items.one(items.bodies.Hold())
			if err == nil && !json.Valid([]byte(body)) {
				t.Fatalf("%q: got no error, want one for invalid JSON", raw)
			}
			return
		}
		read := 0
		for one, err := range items.each() {
			if err != nil {
				return
			}
			one.hold.Release()
			read++
		}
		var want struct{ Items []json.RawMessage }
		if err := json.Unmarshal([]byte(body), &want); err != nil || len(want.Items) != read {
			t.Fatalf("got %d items, want %d; json.Unmarshal error: %v", read, len(want.Items), err)
		}
	})
}
