package rendition

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
)

// MaxAge is the maximum lifetime of a URL, that of a job.
const MaxAge = photojob.Lifetime

// Errors of Verify.
var (
	ErrSignature = errors.New("the signature is not valid")
	ErrExpired   = errors.New("the URL has expired")
)

// keyName is the name of the key in platform.PhotoKeys.
const keyName = "renditions"

// Signer signs and verifies URLs with a key that all processes share. It is safe for concurrent use.
type Signer struct {
	documents *platform.Store

	mu  sync.Mutex
	key []byte
}

// NewSigner returns a signer whose key is in the given store. It reads the key on first use.
func NewSigner(documents *platform.Store) *Signer { return &Signer{documents: documents} }

// The parameters of a URL.
const (
	ExpiresParam   = "expires"   // epoch seconds
	SignatureParam = "signature" // of the job, its creation time, the name and the expiry
)

// Sign returns the path and query under which everyone can load a rendition of a job until it expires. It creates the key
// if there is none.
func (s *Signer) Sign(ctx context.Context, job photojob.Job, r Rendition, expires time.Time) (string, error) {
	key, err := s.read(ctx, s.documents.MakeSecret)
	if err != nil {
		return "", err
	}
	c := claim{jobID: job.JobID, name: r.Name(), created: job.CreatedAt, expires: expires.Unix()}
	query := url.Values{ExpiresParam: {strconv.FormatInt(c.expires, 10)}, SignatureParam: {c.signature(key)}}
	return Path(job.JobID, c.name) + "?" + query.Encode(), nil
}

// Path returns the path of a rendition.
func Path(jobID, name string) string { return "/v1/photos/" + jobID + "/" + name }

// Verify verifies the parameters of a URL. It returns when the job of the URL was created, in epoch milliseconds, and when
// the URL expires, or ErrSignature or ErrExpired.
func (s *Signer) Verify(ctx context.Context, jobID, name string, query url.Values, now time.Time) (created int64, expires time.Time, err error) {
	key, err := s.read(ctx, s.documents.Secret)
	if errors.Is(err, platform.ErrNotFound) { // no URL has been signed yet
		return 0, expires, ErrSignature
	}
	if err != nil {
		return 0, expires, err
	}
	seconds, err := strconv.ParseInt(query.Get(ExpiresParam), 10, 64)
	given, broken := base64.RawURLEncoding.Strict().DecodeString(query.Get(SignatureParam))
	if err != nil || broken != nil || len(given) != createdSize+sha256.Size {
		return 0, expires, ErrSignature
	}
	c := claim{jobID: jobID, name: name, created: int64(binary.BigEndian.Uint64(given)), expires: seconds}
	if !hmac.Equal(given[createdSize:], c.sum(key)) {
		return 0, expires, ErrSignature
	}
	if expires = time.Unix(seconds, 0); !now.Before(expires) {
		return 0, expires, ErrExpired
	}
	return c.created, expires, nil
}

func (s *Signer) read(ctx context.Context, secret func(ctx context.Context, partition, name string) ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	key, err := secret(ctx, platform.PhotoKeys, keyName)
	if err == nil {
		s.key = key
	}
	return key, err
}

// claim is what a signature covers. With the creation time, a job with the id of a deleted one has other URLs.
type claim struct {
	jobID, name      string
	created, expires int64
}

const createdSize = 8 // bytes

// signature returns the creation time, followed by the code.
func (c claim) signature(key []byte) string {
	created := binary.BigEndian.AppendUint64(nil, uint64(c.created))
	return base64.RawURLEncoding.EncodeToString(append(created, c.sum(key)...))
}

func (c claim) sum(key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("assay photo rendition\x00" + c.jobID + "\x00" + c.name + "\x00"))
	mac.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(c.created)), uint64(c.expires)))
	return mac.Sum(nil)
}
