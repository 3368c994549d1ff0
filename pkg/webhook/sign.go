package webhook

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/process"
)

// Headers of a delivery, as Standard Webhooks 1.0.0 defines them.
const (
	HeaderID        = "webhook-id"        // id of the event; the same for every attempt
	HeaderTimestamp = "webhook-timestamp" // of the attempt, in epoch seconds
	HeaderSignature = "webhook-signature" // signatures by all valid secrets, separated by spaces
)

// Prefixes of secrets and public keys.
const (
	symmetricPrefix = "whsec_" // HMAC-SHA256, version v1
	privatePrefix   = "whsk_"  // seed of an ed25519 key, version v1a
	publicPrefix    = "whpk_"
)

// secretBytes is the size of a symmetric secret. Standard Webhooks requires 24 to 64 bytes.
const secretBytes = 32

// errSecret means that a text is not a secret. It does not contain the text.
var errSecret = errors.New("the text is not the secret of a webhook")

// NewSecret returns a new secret, for ed25519 if asymmetric.
func NewSecret(asymmetric bool) string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	if asymmetric {
		return privatePrefix + base64.StdEncoding.EncodeToString(random[:])
	}
	return symmetricPrefix + base64.StdEncoding.EncodeToString(random[:])
}

// Public returns the public key of an asymmetric secret, which receivers verify with, or the secret itself.
func Public(secret string) (string, error) {
	key, asymmetric, err := parseSecret(secret)
	if err != nil || !asymmetric {
		return secret, err
	}
	public := ed25519.NewKeyFromSeed(key).Public().(ed25519.PublicKey)
	return publicPrefix + base64.StdEncoding.EncodeToString(public), nil
}

func parseSecret(secret string) (key []byte, asymmetric bool, err error) {
	text, symmetric := strings.CutPrefix(secret, symmetricPrefix)
	if !symmetric {
		if text, asymmetric = strings.CutPrefix(secret, privatePrefix); !asymmetric {
			return nil, false, errSecret
		}
	}
	key, err = base64.StdEncoding.DecodeString(text)
	if err != nil || asymmetric && len(key) != ed25519.SeedSize || len(key) < 24 || len(key) > 64 {
		return nil, false, errSecret
	}
	return key, asymmetric, nil
}

// Sign returns the value of HeaderSignature for a body that is sent at a time: a signature by each secret.
func Sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	signed := []byte(id + "." + strconv.FormatInt(at.Unix(), 10) + ".")
	signed = append(signed, body...)
	var all []string
	for _, secret := range secrets {
		key, asymmetric, err := parseSecret(secret)
		if err != nil {
			return "", fmt.Errorf("sign %s: %w", id, err)
		}
		if asymmetric {
			all = append(all, "v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(key), signed)))
			continue
		}
		sum := hmac.New(sha256.New, key)
		sum.Write(signed)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	}
	return strings.Join(all, " "), nil
}

// NewRequest returns a signed request for an event, whose message id is id, that is sent at a time.
func NewRequest(ctx context.Context, url string, secrets []string, id string, at time.Time, body []byte) (*http.Request, error) {
	signature, err := Sign(secrets, id, at, body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Assay-Webhooks/"+process.Version())
	r.Header.Set(HeaderID, id)
	r.Header.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	r.Header.Set(HeaderSignature, signature)
	return r, nil
}
