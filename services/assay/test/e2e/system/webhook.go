package system

import (
	"errors"
	"io"
	"net/http"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// ReadWebhook reads the body of a request to a webhook endpoint. It returns an error unless the request is signed with one of
// the secrets, as the library of Standard Webhooks verifies it.
func ReadWebhook(r *http.Request, secrets ...string) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	failed := errors.New("no secret")
	for _, secret := range secrets {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = verifier.Verify(body, r.Header)
		}
		if failed = err; err == nil {
			break
		}
	}
	return body, failed
}
