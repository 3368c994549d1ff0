package blob

import (
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// asked keeps the requests that it answers with nothing.
type asked struct {
	mu   sync.Mutex
	urls map[string]int
}

func (a *asked) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	signed := "unsigned "
	if strings.Contains(r.Header.Get("Authorization"), "/eu-central-1/s3/aws4_request") {
		signed = ""
	}
	a.urls[signed+r.Method+" "+r.URL.String()]++
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// TestEndpointsAreThoseOfTheSDK: with a remembered endpoint, requests for objects and
// buckets go where the SDK sends them, signed in the same way, also many at once.
func TestEndpointsAreThoseOfTheSDK(t *testing.T) {
	for name, endpoint := range map[string]string{"a server of one's own": "http://127.0.0.1:9000", "AWS": ""} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := &asked{urls: map[string]int{}}, &asked{urls: map[string]int{}}
			var all sync.WaitGroup
			for _, to := range []*asked{ours, theirs} {
				store := New(aws.Config{
					Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: to,
				}, Config{Endpoint: endpoint, Bucket: "assay-files"})
				if to == theirs {
					store.client = s3.New(store.client.Options(), func(o *s3.Options) {
						o.EndpointResolverV2 = s3.NewDefaultEndpointResolverV2()
					})
				}
				for range 8 {
					all.Go(func() {
						for _, key := range []string{"files/a/b", "files/ü/b c", "texts/x"} {
							if _, err := store.Put(t.Context(), key, "text/plain", nil, strings.NewReader("text")); err != nil {
								t.Error(err)
							}
							body, err := store.Open(t.Context(), key, "")
							if err != nil {
								t.Error(err)
								continue
							}
							if err := body.Close(); err != nil {
								t.Error(err)
							}
						}
						if err := store.Check(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
			}
			all.Wait()
			if !reflect.DeepEqual(ours.urls, theirs.urls) || len(ours.urls) != 7 {
				t.Errorf("got %v, the SDK asks for %v", ours.urls, theirs.urls)
			}
		})
	}
}
