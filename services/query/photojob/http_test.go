package photojob

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
)

// TestNamesOfEditedPhotos checks that an edited photo has the name of the original with the
// extension of the new format.
func TestNamesOfEditedPhotos(t *testing.T) {
	for original, want := range map[string]string{"a.JPG": "a.webp", "a.b.heic": "a.b.webp", "photo": "photo.webp", "": "ID.webp", `"å".png`: `"å".webp`} {
		job := photojob.Job{JobID: "ID", OriginalFileName: original, S3FinalKey: photojob.FinalKey("ID", 2, "webp")}
		if got := nameOf(job); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", original, got, want)
		}
	}
}

// TestExplain checks the plan of a prompt with options.
func TestExplain(t *testing.T) {
	api := web.NewRouter(web.Options{})
	(&Area{}).explainRoute(api)
	post := func(body string) (*httptest.ResponseRecorder, map[string]any) {
		t.Helper()
		w := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodPost, "/v1/photos/explain", strings.NewReader(body))
		req.Host = "localhost"
		req.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(w, req)
		var answer map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		return w, answer
	}
	w, answer := post(`{"prompt":"rotate right, brigten","options":{"format":"webp"}}`)
	delete(answer, "$schema")
	want := map[string]any{
		"steps": []any{
			map[string]any{"op": "rotate", "degrees": 90.0, "description": "Rotate by 90° clockwise."},
			map[string]any{"op": "format", "format": "webp", "description": "Save as WEBP."},
		},
		"unknown": []any{"brigten"}, "suggestion": "brighten 20%",
	}
	if w.Code != http.StatusOK || !reflect.DeepEqual(answer, want) {
		t.Errorf("got %d %v, want 200 %v", w.Code, answer, want)
	}
	if w, _ := post(`{"prompt":"` + strings.Repeat("sepia, ", 13) + `"}`); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("with 13 steps: got %d, want 422", w.Code)
	}
}
