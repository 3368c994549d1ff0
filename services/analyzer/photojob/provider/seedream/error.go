package seedream

import (
	"encoding/json"
	"strings"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

type apiError struct{ Code, Message string }

// sensitive reports whether the content was rejected: InputTextSensitiveContentDetected,
// OutputImageSensitiveContentDetected.PolicyViolation and similar.
func (e *apiError) sensitive() bool { return strings.Contains(e.Code, "SensitiveContentDetected") }

// failed parses an error. Unknown codes are classified by the HTTP status.
func failed(r remote.Response) *provider.Error {
	var body struct{ Error apiError }
	_ = json.Unmarshal(r.Body, &body) // an unreadable body is classified by the HTTP status
	code := body.Error.Code
	e := remote.Failed(r, strings.TrimSpace(code+" "+body.Error.Message))
	e.RequestID = r.Header.Get("X-Request-Id")
	switch {
	case body.Error.sensitive():
		blocked := remote.Blocked(r, provider.NotBilled, code)
		blocked.RequestID = e.RequestID
		return blocked
	case strings.HasPrefix(code, "AuthenticationError"), strings.HasPrefix(code, "AccountOverdueError"),
		strings.HasPrefix(code, "AccessDenied"), strings.HasPrefix(code, "InvalidEndpoint"):
		e.Class, e.Code = provider.Suspend, provider.AccessDenied
	case strings.HasPrefix(code, "InvalidParameter"), strings.HasPrefix(code, "MissingParameter"):
		e.Class, e.Code = provider.Permanent, provider.Rejected
	}
	return e
}
