package dynamolite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// signed is a request as the AWS SDK signs it, before a test changes it.
type signed struct {
	key, secret, service, region string
	at                           time.Time
	body                         string
}

// send sends a request for the list of tables, which change can modify after it is signed.
func (s signed) send(t *testing.T, url string, change func(*http.Request)) (status int, exception, message string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(s.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	r.Header.Set("X-Amz-Note", "  two   spaces ")
	digest := sha256.Sum256([]byte(s.body))
	err = v4.NewSigner().SignHTTP(t.Context(), aws.Credentials{AccessKeyID: s.key, SecretAccessKey: s.secret}, r,
		hex.EncodeToString(digest[:]), s.service, s.region, s.at)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	w, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	var failure struct {
		Type    string `json:"__type"`
		Message string
	}
	if err := json.NewDecoder(w.Body).Decode(&failure); err != nil {
		t.Fatal(err)
	}
	return w.StatusCode, failure.Type, failure.Message
}

// TestSignaturesAreVerified checks each reason for a rejection against requests that the AWS SDK signed. The
// exceptions are those of AWS ("Common errors" in the API reference of DynamoDB).
func TestSignaturesAreVerified(t *testing.T) {
	now := time.Date(2026, 5, 14, 23, 59, 0, 0, time.UTC)
	s := start(t, dynamolite.Options{
		Keys: map[string]string{"key": "secret", "other": "other-secret"}, Clock: func() time.Time { return now }, SweepInterval: -1,
	})
	valid := signed{"key", "secret", "dynamodb", "us-east-1", now, `{"Limit": 1}`}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	replace := func(old, replacement string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), old, replacement, 1))
		}
	}
	with := func(change func(*signed)) signed { changed := valid; change(&changed); return changed }
	const none = ""
	for name, tt := range map[string]struct {
		request signed
		change  func(*http.Request)
		want    string
	}{
		"valid":             {valid, nil, none},
		"another key":       {with(func(s *signed) { s.key, s.secret = "other", "other-secret" }), nil, none},
		"another region":    {with(func(s *signed) { s.region = "eu-north-1" }), nil, none},
		"query":             {valid, nil, none},
		"15 minutes ago":    {with(func(s *signed) { s.at = now.Add(-15 * time.Minute) }), nil, none},
		"tomorrow":          {with(func(s *signed) { s.at = now.Add(14 * time.Minute) }), nil, none},
		"no signature":      {valid, func(r *http.Request) { r.Header.Del("Authorization") }, "MissingAuthenticationTokenException"},
		"presigned":         {valid, presign(t, now), "MissingAuthenticationTokenException"},
		"basic":             {valid, header("Authorization", "Basic a2V5OnNlY3JldA=="), "IncompleteSignatureException"},
		"signature missing": {valid, replace("Signature=", "Sig="), "IncompleteSignatureException"},
		"date missing":      {valid, func(r *http.Request) { r.Header.Del("X-Amz-Date") }, "IncompleteSignatureException"},
		"date malformed":    {valid, header("X-Amz-Date", "yesterday"), "IncompleteSignatureException"},
		"short scope":       {valid, replace("/aws4_request", ""), "IncompleteSignatureException"},
		"unknown key":       {with(func(s *signed) { s.key = "nobody" }), nil, "UnrecognizedClientException"},
		"empty key":         {valid, replace("Credential=key/", "Credential=/"), "UnrecognizedClientException"},
		"wrong secret":      {with(func(s *signed) { s.secret = "guess" }), nil, "InvalidSignatureException"},
		"key of another":    {with(func(s *signed) { s.secret = "other-secret" }), nil, "InvalidSignatureException"},
		"another service":   {with(func(s *signed) { s.service = "s3" }), nil, "InvalidSignatureException"},
		"too old":           {with(func(s *signed) { s.at = now.Add(-15*time.Minute - time.Second) }), nil, "InvalidSignatureException"},
		"too new":           {with(func(s *signed) { s.at = now.Add(15*time.Minute + time.Second) }), nil, "InvalidSignatureException"},
		"moved date":        {with(func(s *signed) { s.at = now.Add(-time.Hour) }), header("X-Amz-Date", "20260514T235900Z"), "InvalidSignatureException"},
		"another day":       {valid, replace("/20260514/", "/20260513/"), "InvalidSignatureException"},
		"not hexadecimal":   {valid, replace("Signature=", "Signature=x"), "InvalidSignatureException"},
		"empty signature":   {valid, func(r *http.Request) { cutSignature(r, 0) }, "IncompleteSignatureException"},
		"short signature":   {valid, func(r *http.Request) { cutSignature(r, 62) }, "InvalidSignatureException"},
		"another operation": {valid, header("X-Amz-Target", "DynamoDB_20120810.Scan"), "InvalidSignatureException"},
		"unsigned target":   {valid, replace(";x-amz-target", ""), "InvalidSignatureException"},
		"another host":      {valid, func(r *http.Request) { r.Host = "localhost" }, "InvalidSignatureException"},
		"another path":      {valid, func(r *http.Request) { r.URL.Path = "/other" }, "InvalidSignatureException"},
		"another query":     {valid, func(r *http.Request) { r.URL.RawQuery = "a=b" }, "InvalidSignatureException"},
		"another body": {valid, func(r *http.Request) {
			r.Body = io.NopCloser(bytes.NewReader([]byte(`{"Limit": 2}`)))
		}, "InvalidSignatureException"},
	} {
		t.Run(name, func(t *testing.T) {
			status, exception, message := tt.request.send(t, s.url, tt.change)
			switch {
			case tt.want == none && status != http.StatusOK:
				t.Errorf("got status %d %s %s, want 200", status, exception, message)
			case tt.want != none && (status != http.StatusBadRequest || exception != "com.amazon.coral.service#"+tt.want || message == ""):
				t.Errorf("got status %d %s %s, want 400 %s", status, exception, message, tt.want)
			}
		})
	}
	// URLs of any form.
	for _, path := range []string{"/", "/a b/ü%2F", "/?b=2&a=1&a=%20+", "/?empty"} {
		if status, exception, message := valid.send(t, s.url+path, nil); status != http.StatusOK {
			t.Errorf("%s: got status %d %s %s, want 200", path, status, exception, message)
		}
	}
}

func cutSignature(r *http.Request, length int) {
	before, signature, _ := strings.Cut(r.Header.Get("Authorization"), "Signature=")
	r.Header.Set("Authorization", before+"Signature="+signature[:length])
}

// presign returns a change that moves the signature into the query.
func presign(t *testing.T, at time.Time) func(*http.Request) {
	t.Helper()
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		signed, header, err := v4.NewSigner().PresignHTTP(context.Background(), aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}, r,
			"UNSIGNED-PAYLOAD", "dynamodb", "us-east-1", at)
		if err != nil {
			t.Fatal(err)
		}
		if r.URL, err = r.URL.Parse(signed); err != nil {
			t.Fatal(err)
		}
		maps.Copy(r.Header, header)
	}
}

// TestUnknownSignersDoNotSendBodies checks that a request is rejected before its body is read, so that strangers cannot use
// the memory for bodies.
func TestUnknownSignersDoNotSendBodies(t *testing.T) {
	s := start(t, dynamolite.Options{Keys: map[string]string{"key": "secret"}})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, unread{})
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = 16 << 20
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	r.Header.Set("Expect", "100-continue") // the client waits with the body
	w, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusBadRequest {
		t.Errorf("got status %d, want 400", w.StatusCode)
	}
}

// unread is a body that fails when it is read.
type unread struct{}

func (unread) Read([]byte) (int, error) { return 0, io.ErrNoProgress }
