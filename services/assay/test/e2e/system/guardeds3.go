package system

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// guardS3 starts a proxy in front of an S3 server that allows only permitted accesses, and returns its URL.
func (g *Guard) guardS3(t *testing.T, s System) (url string) {
	t.Helper()
	through := Forward(t, s.S3)
	// AWS returns 404 for a missing object only to callers that may list the bucket.
	through.ModifyResponse = func(resp *http.Response) error {
		r := resp.Request
		bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if resp.StatusCode == http.StatusNotFound && key != "" && !g.Allow(dynamolite.Access{Key: Signer(r), Action: "s3:ListBucket", Resource: "arn:aws:s3:::" + bucket}) {
			resp.StatusCode = http.StatusForbidden
		}
		return nil
	}
	server := httptest.NewServer(guardObjects(through, g.Allow))
	t.Cleanup(server.Close)
	return server.URL
}

func guardObjects(through *httputil.ReverseProxy, allow func(dynamolite.Access) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := Signer(r)
		for _, access := range accesses(r) {
			access.Key = key
			if key != "" && !allow(access) {
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code><Message>" + key + " may not " + access.Action + "</Message></Error>"))
				return
			}
		}
		through.ServeHTTP(w, r)
	})
}

// Signer returns the access key of a signed or presigned request.
func Signer(r *http.Request) string {
	_, credential, found := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	if !found {
		credential = r.URL.Query().Get("X-Amz-Credential")
	}
	key, _, _ := strings.Cut(credential, "/")
	return key
}

// accesses returns the permissions that AWS requires for a request to S3.
func accesses(r *http.Request) []dynamolite.Access {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	resource := "arn:aws:s3:::" + bucket
	query := r.URL.Query()
	var actions []string
	switch {
	case key == "" && r.Method == http.MethodPut:
		actions = []string{"s3:CreateBucket"}
	case key == "" && query.Has("uploads"):
		actions = []string{"s3:ListBucketMultipartUploads"}
	case key == "" && query.Has("versioning"):
		actions = []string{"s3:GetBucketVersioning"}
	case key == "":
		actions = []string{"s3:ListBucket"}
	case r.Method == http.MethodGet && query.Has("uploadId"):
		actions = []string{"s3:ListMultipartUploadParts"}
	case r.Method == http.MethodDelete && query.Has("uploadId"):
		actions = []string{"s3:AbortMultipartUpload"}
	case r.Method == http.MethodDelete:
		actions = []string{"s3:DeleteObject"}
	case r.Method == http.MethodPut, r.Method == http.MethodPost && (query.Has("uploads") || query.Has("uploadId")):
		actions = []string{"s3:PutObject"}
	default:
		actions = []string{"s3:GetObject"}
	}
	if r.Header.Get("If-Match") != "" && r.Method == http.MethodPut {
		actions = append(actions, "s3:GetObject")
	}
	if key != "" {
		resource += "/" + key
	}
	var all []dynamolite.Access
	for _, action := range actions {
		all = append(all, dynamolite.Access{Action: action, Resource: resource})
	}
	return all
}
