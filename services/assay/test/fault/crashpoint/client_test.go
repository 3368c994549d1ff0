package crashpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/ingest"
)

// visitor is the client of one life. It repeats what is not answered with the
// status it wants, under the same idempotency key; or it goes away after the
// first try.
type visitor struct {
	house     *house
	owner     string
	key       string
	goesAway  bool
	wentAway  bool
	transport http.Client
}

func newVisitor(h *house, goesAway bool) *visitor {
	return &visitor{
		house: h, owner: "owner-" + uuid.NewString(), key: uuid.Must(uuid.NewV7()).String(), goesAway: goesAway,
		transport: http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
}

// request is one call, which can be sent again.
type request struct {
	method, path string // path may be a whole URL
	header       map[string]string
	body         []byte
	want         []int // the statuses that end it
}

// send sends until an answer is wanted. It returns no status when the visitor
// went away, or ctx ended.
func (v *visitor) send(ctx context.Context, r request) (status int, body []byte) {
	for {
		status, body, err := v.try(ctx, r)
		if err == nil && slices.Contains(r.want, status) {
			return status, body
		}
		if v.goesAway {
			v.wentAway = true
			return 0, nil
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Appendf(nil, "%s %s: %d %s %v", r.method, r.path, status, body, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (v *visitor) try(ctx context.Context, r request) (int, []byte, error) {
	target := r.path
	if strings.HasPrefix(target, "/") {
		target = v.house.current(ingest.Name).url + r.path
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	if strings.HasPrefix(r.path, "/") {
		req.Header.Set("X-Owner-Id", v.owner)
		req.Header.Set("Idempotency-Key", v.key)
	}
	resp, err := v.transport.Do(req)
	if err != nil {
		return 0, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, body, err
}

// form is a multipart body with one file.
func form(contentType, text string) (header map[string]string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="life.txt"`}, "Content-Type": {contentType},
	})
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return map[string]string{"Content-Type": w.FormDataContentType()}, b.Bytes()
}
