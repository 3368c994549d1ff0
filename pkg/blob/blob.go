// Package blob is the adapter to S3: presigned uploads and downloads, streamed writes and reads,
// server-side copies, and object metadata.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/assay-project/assay/pkg/outage"
)

// ErrNotFound means that an object does not exist.
var ErrNotFound = errors.New("the object does not exist")

// ErrChanged means that an object does not have the expected entity tag.
var ErrChanged = errors.New("the object has been replaced")

// ErrExists means that an object already exists. Objects are never replaced.
var ErrExists = errors.New("the object already exists")

// Config configures the bucket and its endpoints.
type Config struct {
	Endpoint       string `env:"ASSAY_S3_ENDPOINT" use:"often" doc:"the URL of an S3-compatible server; default: AWS"`
	PublicEndpoint string `env:"ASSAY_S3_PUBLIC_ENDPOINT" use:"often" doc:"the URL of the same server for clients, used in presigned URLs; default: ASSAY_S3_ENDPOINT"`
	Bucket         string `env:"ASSAY_S3_BUCKET" envDefault:"assay-files" use:"often" doc:"the bucket for uploaded files"`

	Timeout time.Duration `env:"ASSAY_S3_TIMEOUT" envDefault:"30s" doc:"time without progress after which an S3 request is retried; 20 times as long while S3 completes a multipart upload or copies an object; 0 means no limit"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	if c.Timeout < 0 {
		return fmt.Errorf("ASSAY_S3_TIMEOUT is %s: must be 0 or more", c.Timeout)
	}
	return nil
}

// Store is one bucket. It is safe for concurrent use and does not need to be closed.
type Store struct {
	Bucket  string
	client  *s3.Client
	presign *s3.PresignClient
	pieces  *sync.Pool
}

// New returns the bucket's store. It makes no request.
func New(base aws.Config, cfg Config) *Store {
	public := cfg.PublicEndpoint
	if public == "" {
		public = cfg.Endpoint
	}
	return &Store{
		Bucket: cfg.Bucket,
		client: connect(base, cfg.Endpoint, func(o *s3.Options) { o.HTTPClient = idleTimeoutClient{o.HTTPClient, cfg} }),
		// The host is part of a signature, so the presign client uses only the public endpoint.
		presign: s3.NewPresignClient(connect(base, public)),
		pieces:  newPieces(),
	}
}

func connect(base aws.Config, endpoint string, more ...func(*s3.Options)) *s3.Client {
	return s3.NewFromConfig(base, append(more, func(o *s3.Options) {
		if endpoint != "" {
			o.BaseEndpoint = &endpoint
			o.UsePathStyle = true // local servers do not have a host name for each bucket
		}
		o.APIOptions = append(o.APIOptions, outage.Marking(outage.S3))
		// The two pauses between three attempts have to fit into the limit of a request.
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) { r.MaxBackoff = outage.Limit / 2 })
		// Computing a CRC64NVME uses about as much CPU as counting the words. Uploads have a CRC32
		// or the client's SHA-256 instead.
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.DisableLogOutputChecksumValidationSkipped = true
	})...)
}

// Object is the metadata of an object.
type Object struct {
	Bucket      string
	Key         string
	ETag        string // without quotes
	Size        int64  // bytes
	ContentType string
	Modified    time.Time
	Metadata    map[string]string // names in lower case
}

// Head reads an object's metadata. It returns ErrNotFound if the object does not exist.
func (s *Store) Head(ctx context.Context, key string) (Object, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.Bucket, Key: &key})
	if err != nil {
		return Object{}, translate("head", key, err)
	}
	return Object{
		Bucket: s.Bucket, Key: key, ETag: unquote(out.ETag), Size: aws.ToInt64(out.ContentLength),
		ContentType: aws.ToString(out.ContentType), Modified: aws.ToTime(out.LastModified), Metadata: out.Metadata,
	}, nil
}

// Open streams an object from its start if it has the entity tag; an empty tag matches any object. The
// caller closes the stream. It returns ErrNotFound if the object does not exist, and ErrChanged if it
// has another tag.
func (s *Store) Open(ctx context.Context, key, etag string) (io.ReadCloser, error) {
	in := &s3.GetObjectInput{Bucket: &s.Bucket, Key: &key}
	if etag != "" {
		in.IfMatch = quote(etag)
	}
	out, err := s.client.GetObject(ctx, in)
	if err != nil {
		return nil, translate("get", key, err)
	}
	return out.Body, nil
}

// Part reads length bytes of an object starting at offset, fewer at its end, or all remaining bytes if
// length is negative. It returns ErrNotFound if the object does not exist.
func (s *Store) Part(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	in := &s3.GetObjectInput{Bucket: &s.Bucket, Key: &key, Range: aws.String(fmt.Sprintf("bytes=%d-", offset))}
	if length > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	}
	out, err := s.client.GetObject(ctx, in)
	if status, ok := errors.AsType[httpStatus](err); ok && status.HTTPStatusCode() == http.StatusRequestedRangeNotSatisfiable {
		return nil, nil // the object ends before offset
	}
	if err != nil {
		return nil, translate("get", key, err)
	}
	defer out.Body.Close()
	part, err := io.ReadAll(out.Body)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return part, nil
}

// Delete removes an object. A missing object is not an error.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: &key})
	if err = translate("delete", key, err); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Check returns an error unless the bucket is available. It is a readiness check.
func (s *Store) Check(ctx context.Context) error {
	_, err := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.Bucket})
	return translate("head bucket", s.Bucket, err)
}

// Ensure creates the bucket unless it exists.
func (s *Store) Ensure(ctx context.Context) error {
	_, err := s.client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &s.Bucket})
	if _, owned := errors.AsType[*types.BucketAlreadyOwnedByYou](err); owned {
		return nil
	}
	if _, exists := errors.AsType[*types.BucketAlreadyExists](err); exists {
		return s.Check(ctx)
	}
	return translate("create bucket", s.Bucket, err)
}

// PutPolicy replaces the bucket's policy, in the server's format.
func (s *Store) PutPolicy(ctx context.Context, policy string) error {
	_, err := s.client.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: &s.Bucket, Policy: &policy})
	return translate("put policy", s.Bucket, err)
}

// httpStatus is an error that has the status of a response.
type httpStatus interface {
	error
	HTTPStatusCode() int
}

func translate(call, name string, err error) error {
	if err == nil {
		return nil
	}
	if status, ok := errors.AsType[httpStatus](err); ok {
		switch status.HTTPStatusCode() {
		case http.StatusNotFound:
			return fmt.Errorf("%s %s: %w", call, name, ErrNotFound)
		case http.StatusPreconditionFailed:
			if call == "put" {
				return fmt.Errorf("%s %s: %w", call, name, ErrExists)
			}
			return fmt.Errorf("%s %s: %w", call, name, ErrChanged)
		}
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "NoSuchKey" {
		return fmt.Errorf("%s %s: %w", call, name, ErrNotFound)
	}
	return fmt.Errorf("%s %s: %w", call, name, err)
}

func unquote(etag *string) string { return strings.Trim(aws.ToString(etag), `"`) }
