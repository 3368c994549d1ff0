package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/web"
)

func submission(n int, text string) string {
	return fmt.Sprintf(`{"sourceId":"reddit#%d","sourceType":"reddit","text":%q,"matchedTags":["a"]}`, n, text)
}

// readAll reads a batch up to its end or the first error.
func readAll(t *testing.T, body string) ([]candidate, error) {
	t.Helper()
	bodies := web.NewBodies(3 << 20)
	items, many, err := openItems(httptest.NewRequest(http.MethodPost, "/v1/feed/items", strings.NewReader(body)), bodies)
	if err != nil || !many {
		return nil, err
	}
	var all []candidate
	for one, failed := range items.each() {
		if failed != nil {
			err = failed
			break
		}
		all = append(all, one)
		one.hold.Release()
	}
	if err := bodies.Hold().Grow(t.Context(), 3<<20); err != nil {
		t.Errorf("%.60s: memory was not released: got error %v, want nil", body, err)
	}
	return all, err
}

func TestBatchIsReadItemByItem(t *testing.T) {
	texts := []string{"plain", `brackets ]}{[ and "quotes, \`, "newline\nand 世界", ""}
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = submission(i, text)
	}
	for _, space := range []string{"", " \r\n\t"} {
		body := strings.Join([]string{"", "{", `"items"`, ":", "[", strings.Join(items, space+","+space), "]", "}", ""}, space)
		all, err := readAll(t, body)
		if err != nil || len(all) != len(texts) {
			t.Fatalf("got %d items, error %v, want %d", len(all), err, len(texts))
		}
		for i, one := range all {
			if one.SourceID != fmt.Sprintf("reddit#%d", i) || one.Text != texts[i] || len(one.wrong) > 0 {
				t.Errorf("item %d: got %q, text %q, errors %v, want text %q", i, one.SourceID, one.Text, one.wrong, texts[i])
			}
		}
	}
}

func TestOverlongItemFailsAlone(t *testing.T) {
	all, err := readAll(t, `{"items":[`+submission(0, strings.Repeat("x", maxItem))+","+submission(1, "a")+`]}`)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d items, error %v, want 2", len(all), err)
	}
	if len(all[0].wrong) != 1 || all[0].wrong[0] != errLongItem || len(all[1].wrong) > 0 {
		t.Errorf("got errors %v and %v, want the first item to be too long", all[0].wrong, all[1].wrong)
	}
}

func TestMalformedBatches(t *testing.T) {
	one := submission(0, "a")
	many := strings.Repeat(one+",", maxBatch)
	for body, want := range map[string]struct{ status, items int }{
		``:                                       {400, 0},
		`[]`:                                     {400, 0},
		`{`:                                      {400, 0},
		`{"items"`:                               {400, 0},
		`{"items":[]}`:                           {422, 0},
		`{"items":{}}`:                           {422, 0},
		`{"items":[` + one:                       {400, 0},
		`{"items":[` + one + `,`:                 {400, 1},
		`{"items":[` + one + `,]}`:               {400, 1},
		`{"items":[` + one + `]`:                 {422, 1},
		`{"items":[` + one + `],"a":1}`:          {422, 1},
		`{"items":[` + one + `]} x`:              {400, 1},
		`{"items":[` + one + `}]}`:               {400, 0},
		`{"items":[` + one + " " + one + `]}`:    {400, 0},
		"{\"items\":[" + one + ",\"\xff\"]}":     {400, 1},
		`{"items":[` + many + one + `]}`:         {422, maxBatch},
		`{"items":[` + many[:len(many)-1] + `]}`: {0, maxBatch},
		`{"items":[7]}`:                          {0, 1}, // the error is in the outcome of the item
	} {
		all, err := readAll(t, body)
		status := 0
		if problem, ok := errors.AsType[*web.Problem](err); ok {
			status = problem.Status
		} else if err != nil {
			t.Errorf("%.60s: got error %v, want a problem", body, err)
		}
		if status != want.status || len(all) != want.items {
			t.Errorf("%.60s: got %d items and status %d, want %d and %d", body, len(all), status, want.items, want.status)
		}
	}
}

func TestItemSizeIsBounded(t *testing.T) {
	for body, want := range map[string]error{
		submission(0, "a"):   nil,
		`{"a":1,"items":[]}`: errNotBatch,
		`{"a":`:              errNotJSON,
		submission(0, strings.Repeat("x", maxItem)):    &http.MaxBytesError{},
		submission(0, "a") + strings.Repeat(" ", 1000): nil,
	} {
		bodies := web.NewBodies(3 << 20)
		items, many, err := openItems(httptest.NewRequest(http.MethodPost, "/v1/feed/items", strings.NewReader(body)), bodies)
		if err != nil || many {
			t.Fatalf("%.60s: got batch = %t, error %v, want false", body, many, err)
		}
		_, err = items.one(bodies.Hold())
		if _, tooLarge := errors.AsType[*http.MaxBytesError](want); tooLarge {
			if got, ok := errors.AsType[*http.MaxBytesError](err); !ok || got.Limit != maxItem {
				t.Errorf("%.60s: got %v, want a MaxBytesError", body, err)
			}
		} else if !errors.Is(err, want) {
			t.Errorf("%.60s: got %v, want %v", body, err, want)
		}
	}
}

// TestItemsWaitForMemory reads a body while all memory is in use.
func TestItemsWaitForMemory(t *testing.T) {
	for _, body := range []string{submission(0, "a"), `{"items":[` + submission(0, "a") + `]}`} {
		bodies := web.NewBodies(100)
		items, many, err := openItems(httptest.NewRequest(http.MethodPost, "/v1/feed/items", io.NopCloser(bytes.NewBufferString(body))), bodies)
		if err != nil {
			t.Fatal(err)
		}
		if err := bodies.Hold().Grow(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if many {
			_, _, err = items.element(bodies.Hold())
		} else {
			_, err = items.one(bodies.Hold())
		}
		if !errors.Is(err, web.ErrBodiesFull) {
			t.Errorf("batch = %t: got error %v, want ErrBodiesFull", many, err)
		}
	}
}
