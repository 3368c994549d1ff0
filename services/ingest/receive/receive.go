// Package receive reads the file of a multipart form, for all areas. It limits how many uploads
// stream through ingest concurrently, and the size of files.
package receive

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// Config contains the settings of uploads.
type Config struct {
	MaxSize  int64         `env:"ASSAY_MAX_FILE_SIZE" envDefault:"5368709120" use:"often" doc:"maximum file size in bytes; files above 5 GiB must be uploaded in parts"`
	Expires  time.Duration `env:"ASSAY_UPLOAD_EXPIRES" envDefault:"15m" doc:"lifetime of presigned upload requests"`
	Streamed int           `env:"ASSAY_STREAMED_UPLOADS" envDefault:"32" use:"often" doc:"maximum number of uploads that stream through ingest concurrently, each with about 10 MiB of memory; others wait up to 15s, then get 503"`

	ReservationExpires time.Duration `env:"ASSAY_RESERVATION_EXPIRES" envDefault:"24h" doc:"maximum duration of an upload in parts; must equal the value of analyzer"`
	OpenUploads        int           `env:"ASSAY_OPEN_UPLOADS" envDefault:"1000" doc:"maximum number of open uploads in parts across all owners; one owner can have at most half of them; further ones get 503"`
}

// maxExpires is the maximum lifetime of a presigned URL in AWS.
const maxExpires = 7 * 24 * time.Hour

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.MaxSize < 1:
		return fmt.Errorf("ASSAY_MAX_FILE_SIZE is %d: must be at least 1 byte", c.MaxSize)
	case c.Expires < time.Second || c.Expires > maxExpires:
		return fmt.Errorf("ASSAY_UPLOAD_EXPIRES is %s: must be between 1s and %s", c.Expires, maxExpires)
	case c.Streamed < 1:
		return fmt.Errorf("ASSAY_STREAMED_UPLOADS is %d: must be at least 1", c.Streamed)
	case c.ReservationExpires <= c.Expires:
		return fmt.Errorf("ASSAY_RESERVATION_EXPIRES is %s: must be more than ASSAY_UPLOAD_EXPIRES, which is %s", c.ReservationExpires, c.Expires)
	case c.OpenUploads < 1:
		return fmt.Errorf("ASSAY_OPEN_UPLOADS is %d: must be at least 1", c.OpenUploads)
	}
	return nil
}

// ErrTooLarge means that a file is larger than Config.MaxSize. Receiver.TooLarge is its problem.
var ErrTooLarge = errors.New("the file is larger than the limit")

// DefaultContentType is the media type of an upload whose client declares none.
const DefaultContentType = "application/octet-stream"

// Receiver receives files. All areas of a service share one Receiver.
type Receiver struct {
	Config
	slots *slots
}

// New returns a receiver.
func New(cfg Config) *Receiver { return &Receiver{Config: cfg, slots: newSlots(cfg.Streamed)} }

// TooLarge returns the problem of ErrTooLarge.
func (r *Receiver) TooLarge() *web.Problem {
	return web.NewProblem(http.StatusRequestEntityTooLarge, "file-too-large", fmt.Sprintf("A file may have at most %d bytes.", r.MaxSize))
}

// MaxKey is the maximum length of an Idempotency-Key, in bytes.
const MaxKey = 255

// Form waits for a slot to stream the form of a request. Until then, the body is not read, so that a
// burst of small files needs no memory. The caller must call leave.
func (r *Receiver) Form(w http.ResponseWriter, req *http.Request) (form *Form, leave func(), err error) {
	upload := stream(w, req)
	req.Body = upload
	parts, err := req.MultipartReader()
	if err != nil {
		return nil, nil, web.BrokenBody(err)
	}
	leave, err = r.slots.enter(req.Context(), web.CallerOf(req.Context()), upload)
	return &Form{Length: req.ContentLength, parts: parts, limit: r.MaxSize}, leave, err
}

// ParseDigest parses a SHA-256 in hex or base64 and returns it in base64, the encoding that S3
// uses. An empty string is returned unchanged. The error states the accepted encodings.
func ParseDigest(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		raw, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(raw) != 32 {
		return "", errors.New("is not a SHA-256 in hex (64 digits) or base64 (44 characters)")
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}
