package table

import (
	"bytes"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// wholeBody hands request bodies to net/http as bytes of their own. The SDK
// closes its body when the answer is there (smithy-go, ClientHandler.Handle).
// Where net/http, on a busy machine, is not done with the body yet, it takes
// that for a failed write and drops the connection, with the rest of a large
// answer.
type wholeBody struct{ aws.HTTPClient }

func (c wholeBody) Do(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return c.HTTPClient.Do(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	sent := r.Clone(r.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	return c.HTTPClient.Do(sent)
}
