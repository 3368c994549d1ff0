package permissions

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/dynamolite/iam"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// guard allows each program the calls to DynamoDB and S3 that its policy in deploy/iam
// allows, and records which statements were used. A program's access key is its name;
// the key of the tests may do everything.
type guard struct {
	policies map[string]iam.Policy

	mu      sync.Mutex
	used    map[string]map[string]bool // by program, the statements of its policy
	refused map[string]bool
}

func newGuard(t *testing.T) *guard {
	g := &guard{policies: policies(t), used: map[string]map[string]bool{}, refused: map[string]bool{}}
	for name := range g.policies {
		g.used[name] = map[string]bool{}
	}
	return g
}

func (g *guard) allow(a dynamolite.Access) bool {
	if a.Key == system.AccessKey {
		return true
	}
	uses := g.policies[a.Key].Uses(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, use := range uses {
		g.used[a.Key][use] = true
	}
	if len(uses) == 0 {
		g.refused[strings.Join([]string{a.Key, a.Action, a.Resource, a.LeadingKey, strings.Join(a.Attributes, ",")}, " ")] = true
	}
	return len(uses) > 0
}

// rare returns why a part of a policy may be unused by these tests, or empty if it
// must be used.
func rare(part string) string {
	return map[string]string{
		"analyzer FeedTextRestore: s3:PutObject arn:aws:s3:::assay-files/feed/*":                   "a client that posts an item again in the very moment when a sweep removes its text",
		"analyzer LibraryObjects: s3:AbortMultipartUpload arn:aws:s3:::assay-files/library/*":      "an upload in parts that breaks off",
		"analyzer PhotosStore: s3:AbortMultipartUpload arn:aws:s3:::photoeditor-dev-final/final/*": "an upload in parts that breaks off",
		"ingest PhotosUpload: s3:AbortMultipartUpload arn:aws:s3:::photoeditor-dev-temp/uploads/*": "an upload in parts that breaks off",
	}[part]
}

// compare reports rejected calls, and permissions that were
// not used.
func (g *guard) compare(t *testing.T) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for access := range g.refused {
		t.Errorf("needed, and not in deploy/iam: %s", access)
	}
	for name, p := range g.policies {
		for _, part := range p.Parts() {
			if !g.used[name][part] && rare(name+" "+part) == "" {
				t.Errorf("not needed, and in deploy/iam/%s.json: %s", name, part)
			}
		}
	}
}

// startDynamoDB serves the engine in this process until the test ends.
func (g *guard) startDynamoDB(t *testing.T) (url string) {
	t.Helper()
	engine, err := dynamolite.Open(dynamolite.Options{Allow: g.allow})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(engine)
	t.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

// guardS3 returns a proxy in front of an S3 server until the test ends.
func (g *guard) guardS3(t *testing.T, s system.System) (url string) {
	t.Helper()
	through := system.Forward(t, s.S3)
	// AWS returns 404 for a missing object only to callers that may list the bucket.
	through.ModifyResponse = func(resp *http.Response) error {
		r := resp.Request
		bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if resp.StatusCode == http.StatusNotFound && key != "" && !g.allow(dynamolite.Access{Key: signer(r), Action: "s3:ListBucket", Resource: "arn:aws:s3:::" + bucket}) {
			resp.StatusCode = http.StatusForbidden
		}
		return nil
	}
	server := httptest.NewServer(guarded(through, g.allow))
	t.Cleanup(server.Close)
	return server.URL
}

func guarded(through *httputil.ReverseProxy, allow func(dynamolite.Access) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := signer(r)
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

// signer returns the access key of a signed or presigned request.
func signer(r *http.Request) string {
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
	case key == "":
		actions = []string{"s3:ListBucket"}
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
