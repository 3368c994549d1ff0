// Package sigv4 verifies AWS Signature Version 4 in the Authorization header of requests. It does not accept
// presigned URLs, which no DynamoDB client uses.
package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	terminal  = "aws4_request"

	basicTime = "20060102T150405Z" // ISO 8601, as in X-Amz-Date
	basicDate = "20060102"

	// maxSkew is the largest difference between the clocks of client and server, as for AWS.
	maxSkew = 15 * time.Minute
)

// Error is a rejection, with the exception name and the message of AWS.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Code + ": " + e.Message }

var (
	errMissing  = &Error{"MissingAuthenticationTokenException", "Missing Authentication Token"}
	errUnknown  = &Error{"UnrecognizedClientException", "The security token included in the request is invalid."}
	errMismatch = &Error{
		"InvalidSignatureException",
		"The request signature we calculated does not match the signature you provided. " +
			"Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
	}
)

func incomplete(message string) error { return &Error{"IncompleteSignatureException", message} }

func invalid(format string, args ...any) error {
	return &Error{"InvalidSignatureException", fmt.Sprintf(format, args...)}
}

// Verifier verifies the signatures of requests to one service. It is safe for concurrent use.
type Verifier struct {
	service  string
	accounts map[string]*account // by access key
	clock    func() time.Time
}

type account struct {
	secret string
	latest atomic.Pointer[signingKey]
}

// signingKey is the key derived from a secret for one scope. Deriving it takes longer than signing with it.
type signingKey struct {
	scope string
	key   []byte
}

// New returns a Verifier for a service such as "dynamodb". keys maps access keys to secret keys.
func New(service string, keys map[string]string, clock func() time.Time) *Verifier {
	v := &Verifier{service: service, accounts: map[string]*account{}, clock: clock}
	for access, secret := range keys {
		v.accounts[access] = &account{secret: secret}
	}
	return v
}

// Signature is the signature of a request whose body is still unread.
type Signature struct {
	request *http.Request
	account *account
	scope   string   // date/region/service/aws4_request
	time    string   // X-Amz-Date
	headers []string // signed headers, in lower case
	value   []byte
}

// Parse reads the signature of a request. It checks everything except the signature's value, which depends on the
// body. Each error is an *Error.
func (v *Verifier) Parse(r *http.Request) (*Signature, error) {
	authorization := r.Header.Get("Authorization")
	if authorization == "" {
		return nil, errMissing
	}
	fields, ok := strings.CutPrefix(authorization, algorithm)
	if !ok {
		return nil, incomplete("Authorization header requires the algorithm " + algorithm + ".")
	}
	parameters := map[string]string{}
	for field := range strings.SplitSeq(fields, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		parameters[name] = value
	}
	for _, name := range []string{"Credential", "Signature", "SignedHeaders"} {
		if parameters[name] == "" {
			return nil, incomplete("Authorization header requires '" + name + "' parameter.")
		}
	}
	s := &Signature{request: r, time: r.Header.Get("X-Amz-Date"), headers: strings.Split(parameters["SignedHeaders"], ";")}
	if s.time == "" {
		return nil, incomplete("Authorization header requires existence of an 'X-Amz-Date' header.")
	}
	access, scope, _ := strings.Cut(parameters["Credential"], "/")
	if s.account = v.accounts[access]; s.account == nil {
		return nil, errUnknown
	}
	s.scope = scope
	if err := v.checkScope(s.scope, s.time); err != nil {
		return nil, err
	}
	// The target selects the operation.
	for _, name := range []string{"host", "x-amz-date", "x-amz-target"} {
		if !slices.Contains(s.headers, name) {
			return nil, invalid("'%s' must be a signed header in the Authorization header.", name)
		}
	}
	var err error
	if s.value, err = hex.DecodeString(parameters["Signature"]); err != nil {
		return nil, errMismatch
	}
	return s, nil
}

// checkScope accepts every region: the engine has only one.
func (v *Verifier) checkScope(scope, signed string) error {
	part := strings.Split(scope, "/")
	if len(part) != 4 {
		return incomplete("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term.")
	}
	if part[2] != v.service {
		return invalid("Credential should be scoped to correct service: '%s'.", v.service)
	}
	if part[3] != terminal {
		return invalid("Credential should be scoped with a valid terminator: '%s'.", terminal)
	}
	at, err := time.Parse(basicTime, signed)
	if err != nil {
		return incomplete("Date must be in ISO-8601 'basic format'. Got '" + signed + "'.")
	}
	if part[0] != at.Format(basicDate) {
		return invalid("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '%s'.", signed)
	}
	now := v.clock().UTC()
	if earliest := now.Add(-maxSkew); at.Before(earliest.Truncate(time.Second)) {
		return invalid("Signature expired: %s is now earlier than %s (%s - 15 min.)", signed, earliest.Format(basicTime), now.Format(basicTime))
	}
	if latest := now.Add(maxSkew); at.After(latest) {
		return invalid("Signature not yet current: %s is still later than %s (%s + 15 min.)", signed, latest.Format(basicTime), now.Format(basicTime))
	}
	return nil
}

// Verify returns an error unless the signature is valid for the request with the given body.
func (s *Signature) Verify(body []byte) error {
	canonical := sha256.Sum256(s.canonical(body))
	text := algorithm + "\n" + s.time + "\n" + s.scope + "\n" + hex.EncodeToString(canonical[:])
	if !hmac.Equal(mac(s.account.signing(s.scope), text), s.value) {
		return errMismatch
	}
	return nil
}

// signing returns the signing key of a scope.
func (a *account) signing(scope string) []byte {
	if latest := a.latest.Load(); latest != nil && latest.scope == scope {
		return latest.key
	}
	key := []byte("AWS4" + a.secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	a.latest.Store(&signingKey{scope, key})
	return key
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
