package blob

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Terms are the constraints on a presigned upload. All of them are signed, so the bucket rejects
// any deviation.
type Terms struct {
	Size        int64 // exact size in bytes
	ContentType string
	SHA256      string            // base64; if empty, the content is not checked
	Metadata    map[string]string // stored with the object
	Expires     time.Duration     // lifetime of the URL
}

// Presigned is a request that the client must send with exactly these headers in addition to Host.
type Presigned struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

// PresignPut signs an upload of one new object. If-None-Match is signed too, so a used URL cannot replace the object.
func (s *Store) PresignPut(ctx context.Context, key string, terms Terms) (Presigned, error) {
	input := &s3.PutObjectInput{
		Bucket: &s.Bucket, Key: &key,
		ContentLength: &terms.Size, ContentType: &terms.ContentType,
		IfNoneMatch: aws.String("*"), Metadata: terms.Metadata,
	}
	if terms.SHA256 != "" {
		input.ChecksumSHA256 = &terms.SHA256
	}
	signed, err := s.presign.PresignPutObject(ctx, input, s3.WithPresignExpires(terms.Expires))
	if err != nil {
		return Presigned{}, fmt.Errorf("presign put %s: %w", key, err)
	}
	return presigned(signed, terms.Expires), nil
}

// presigned returns the request that the client must send.
func presigned(signed *v4.PresignedHTTPRequest, valid time.Duration) Presigned {
	headers := map[string]string{}
	for name, values := range signed.SignedHeader {
		if !strings.EqualFold(name, "Host") {
			headers[http.CanonicalHeaderKey(name)] = strings.Join(values, ",")
		}
	}
	return Presigned{Method: signed.Method, URL: signed.URL, Headers: headers, ExpiresAt: time.Now().Add(valid).UTC().Truncate(time.Second)}
}

// PresignGet signs a download that is saved under fileName. The URL is valid for expires. The response has no
// Content-Encoding, even if AWS S3 stored one with the upload, because a signature cannot prevent clients from sending
// one.
func (s *Store) PresignGet(ctx context.Context, key, fileName string, expires time.Duration) (string, error) {
	return s.presignGet(ctx, expires, &s3.GetObjectInput{Key: &key, ResponseContentDisposition: disposition("attachment", fileName)})
}

// PresignView is like PresignGet, for content that a browser displays as mediaType, regardless of the type declared by
// the upload.
func (s *Store) PresignView(ctx context.Context, key, fileName, mediaType string, expires time.Duration) (string, error) {
	return s.presignGet(ctx, expires, &s3.GetObjectInput{
		Key: &key, ResponseContentDisposition: disposition("inline", fileName), ResponseContentType: &mediaType,
	})
}

func disposition(kind, fileName string) *string {
	return aws.String(mime.FormatMediaType(kind, map[string]string{"filename": fileName}))
}

func (s *Store) presignGet(ctx context.Context, expires time.Duration, in *s3.GetObjectInput) (string, error) {
	in.Bucket, in.ResponseContentEncoding = &s.Bucket, aws.String("identity")
	signed, err := s.presign.PresignGetObject(ctx, in, s3.WithPresignExpires(expires))
	if err != nil {
		return "", fmt.Errorf("presign get %s: %w", *in.Key, err)
	}
	return signed.URL, nil
}

// Origin returns the scheme and host of the bucket's presigned URLs.
func (s *Store) Origin(ctx context.Context) (string, error) {
	signed, err := s.PresignGet(ctx, "origin", "origin", time.Minute)
	if err != nil {
		return "", err
	}
	at, err := url.Parse(signed)
	if err != nil {
		return "", fmt.Errorf("presigned URL: %w", err)
	}
	return at.Scheme + "://" + at.Host, nil
}
