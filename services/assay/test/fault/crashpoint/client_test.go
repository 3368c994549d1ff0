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

	e2e "github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/ingest"
)

// client makes the calls of one run. It repeats a call with the same idempotency
// key until the response has an expected status. If abandons is set, it gives up
// after the first failed attempt.
type client struct {
	system    *system
	owner     string
	key       string
	abandons  bool
	abandoned bool
	transport http.Client
}

func newClient(h *system, abandons bool) *client {
	return &client{
		system: h, owner: "owner-" + uuid.NewString(), key: uuid.Must(uuid.NewV7()).String(), abandons: abandons,
		transport: http.Client{Transport: e2e.Checked(&http.Transport{DisableKeepAlives: true})},
	}
}

// request is one call, which can be repeated.
type request struct {
	method, path string // path may be a complete URL
	operator     bool   // whether to send it to the operator address of ingest
	header       map[string]string
	body         []byte
	want         []int // the expected statuses
}

// send repeats a call until the response has an expected status. It returns status 0
// if the client gave up or ctx is done.
func (c *client) send(ctx context.Context, r request) (status int, body []byte) {
	for {
		status, body, err := c.try(ctx, r)
		if err == nil && slices.Contains(r.want, status) {
			return status, body
		}
		if c.abandons {
			c.abandoned = true
			return 0, nil
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Appendf(nil, "%s %s: %d %s %v", r.method, r.path, status, body, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (c *client) try(ctx context.Context, r request) (int, []byte, error) {
	target := r.path
	if strings.HasPrefix(target, "/") {
		in := c.system.current(ingest.Name)
		if target = in.url + r.path; r.operator {
			target = in.operator + r.path
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	if strings.HasPrefix(r.path, "/") {
		req.Header.Set("X-Owner-Id", c.owner)
		req.Header.Set("Idempotency-Key", c.key)
	}
	resp, err := c.transport.Do(req)
	if err != nil {
		return 0, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, body, err
}

// form returns a multipart body with one file, and its header.
func form(contentType, text string) (header map[string]string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="scenario.txt"`}, "Content-Type": {contentType},
	})
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // writes to a buffer do not fail
	}
	return map[string]string{"Content-Type": w.FormDataContentType()}, b.Bytes()
}
