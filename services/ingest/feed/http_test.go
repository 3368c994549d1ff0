package feed

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/pkg/web"
)

// A body that cannot be read to its end is the client's fault, except one that is
// too large or too slow, which get different responses.
func TestBodiesThatBreakOff(t *testing.T) {
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
			t.Errorf("%v is answered with %d, want %d", err, w.Code, want)
		}
	}
}
