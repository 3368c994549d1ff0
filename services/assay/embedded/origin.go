package embedded

import (
	"context"
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/s3err"
)

// pagesOf returns CORS rules that grant full access to pages of the web origins, or nil without
// origins.
func pagesOf(origins []string) ([]byte, error) {
	if len(origins) == 0 {
		return nil, nil
	}
	allowed := make([]auth.CORSOrigin, len(origins))
	for i, origin := range origins {
		allowed[i] = auth.CORSOrigin(origin)
	}
	return xml.Marshal(auth.CORSConfiguration{Rules: []auth.CORSRule{{
		AllowedOrigins: allowed,
		AllowedMethods: []auth.CORSHTTPMethod{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete},
		AllowedHeaders: []auth.CORSHeader{"*"},
	}}})
}

// GetBucketCors returns rules for S3Config.Origins if a bucket has none. The gateway's own default
// would add headers to the responses to all clients and read the bucket's rules for each.
func (d *durableStore) GetBucketCors(ctx context.Context, bucket string) ([]byte, error) {
	rules, err := d.Posix.GetBucketCors(ctx, bucket)
	if none, ok := errors.AsType[s3err.S3Error](err); ok && d.pages != nil && none.BaseError().Code == "NoSuchCORSConfiguration" {
		return d.pages, nil
	}
	return rules, err
}
