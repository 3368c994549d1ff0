package webhook

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// TestSignature checks the example of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks, section
// "Signature scheme" of the specification, as its libraries test it.
func TestSignature(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	got, err := Sign([]string{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestRotationSignsWithBothSecrets(t *testing.T) {
	first, second := NewSecret(false), NewSecret(true)
	got, err := Sign([]string{second, first}, "a", time.Unix(1, 0), []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	asymmetric, symmetric, two := strings.Cut(got, " ")
	text, ok := strings.CutPrefix(asymmetric, "v1a,")
	if !two || !ok || !strings.HasPrefix(symmetric, "v1,") {
		t.Fatalf("got %q, want signatures of versions v1a and v1", got)
	}
	signature, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	public, err := Public(second)
	if err != nil {
		t.Fatal(err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(public, publicPrefix))
	if err != nil || !ed25519.Verify(key, []byte("a.1.body"), signature) {
		t.Errorf("the signature does not verify with the key %s: %v", public, err)
	}
}

func TestMalformedSecrets(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_!", "whsec_YQ==", "whsk_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh", "abc"} {
		if _, err := Sign([]string{secret}, "a", time.Unix(1, 0), nil); err == nil || secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: got error %v, want one that does not show the secret", secret, err)
		}
	}
}
