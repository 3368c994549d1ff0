package sigv4

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestKnownSignatures uses examples of AWS: "get-vanilla" and "get-vanilla-query-order-key-case" of the Signature
// Version 4 test suite, and the signing key of the General Reference, "Examples of how to derive a signing key".
func TestKnownSignatures(t *testing.T) {
	const access, secret = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	a := &account{secret: secret}
	const derived = "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
	if key := hex.EncodeToString(a.signing("20150830/us-east-1/iam/aws4_request")); key != derived {
		t.Errorf("signing key: got %s, want %s", key, derived)
	}
	for path, signature := range map[string]string{
		"/":                             "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
		"/?Param2=value2&Param1=value1": "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.amazonaws.com"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		value, err := hex.DecodeString(signature)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Date", "20150830T123600Z")
		s := &Signature{
			request: r, account: a, scope: "20150830/us-east-1/service/aws4_request", time: "20150830T123600Z",
			headers: strings.Split("host;x-amz-date", ";"), value: value,
		}
		if err := s.Verify(nil); err != nil {
			t.Errorf("%s: %v\n%s", path, err, s.canonical(nil))
		}
	}
}

// TestSigningKeyOfEachScope checks that a new date or region has another signing key.
func TestSigningKeyOfEachScope(t *testing.T) {
	a := &account{secret: "secret"}
	seen := map[string]bool{}
	for _, scope := range []string{"20260101/a/dynamodb/aws4_request", "20260102/a/dynamodb/aws4_request", "20260102/b/dynamodb/aws4_request"} {
		for range 2 {
			seen[string(a.signing(scope))] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("got %d keys for 3 scopes", len(seen))
	}
}

func BenchmarkVerify(b *testing.B) {
	v := New("dynamodb", map[string]string{"key": "secret"}, time.Now)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://127.0.0.1:1/", nil)
	if err != nil {
		b.Fatal(err)
	}
	at := time.Now().UTC()
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	r.Header.Set("X-Amz-Date", at.Format(basicTime))
	r.Header.Set("Authorization", algorithm+" Credential=key/"+at.Format(basicDate)+"/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature="+strings.Repeat("00", 32))
	body := []byte(strings.Repeat("x", 1<<10))
	for b.Loop() {
		s, err := v.Parse(r)
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Verify(body)
	}
}
