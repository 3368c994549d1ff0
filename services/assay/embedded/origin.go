package embedded

import (
	"context"
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/s3err"
)

// pagesOf returns the CORS rules that let pages of the web origin do everything; nil
// for an empty origin.
func pagesOf(origin string) ([]byte, error) {
	if origin == "" {
		return nil, nil
	}
	return xml.Marshal(auth.CORSConfiguration{Rules: []auth.CORSRule{{
		AllowedOrigins: []auth.CORSOrigin{auth.CORSOrigin(origin)},
		AllowedMethods: []auth.CORSHTTPMethod{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete},
		AllowedHeaders: []auth.CORSHeader{"*"},
	}}})
}

// GetBucketCors gives a bucket without rules those of S3Config.AllowOrigin. The
// gateway's own default would add its headers to the answers to all clients, and
// read the bucket's rules for each.
func (d *durableStore) GetBucketCors(ctx context.Context, bucket string) ([]byte, error) {
	rules, err := d.Posix.GetBucketCors(ctx, bucket)
	if none, ok := errors.AsType[s3err.S3Error](err); ok && d.pages != nil && none.BaseError().Code == "NoSuchCORSConfiguration" {
		return d.pages, nil
	}
	return rules, err
}
