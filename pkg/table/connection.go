package table

import (
	"bytes"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// wholeBody passes request bodies to net/http as copies. The SDK closes its body as soon as the
// response arrives (smithy-go, ClientHandler.Handle). If net/http has not finished with the body by
// then, as on a busy machine, it treats that as a failed write and drops the connection, and with
// it the rest of a large response.
type wholeBody struct{ aws.HTTPClient }

func (c wholeBody) Do(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return c.HTTPClient.Do(r)
	}
	body, err := read(r)
	if err != nil {
		return nil, err
	}
	sent := r.WithContext(r.Context()) // a copy with the same headers
	sent.Body = io.NopCloser(bytes.NewReader(body))
	return c.HTTPClient.Do(sent)
}

func read(r *http.Request) ([]byte, error) {
	if r.ContentLength <= 0 { // the length is unknown
		return io.ReadAll(r.Body)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, body)
	return body, err
}
