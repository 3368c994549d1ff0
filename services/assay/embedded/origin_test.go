package embedded

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	ownPage    = "http://127.0.0.1:8080"
	secondPage = "http://localhost:8080"
	otherPage  = "http://elsewhere.example"
)

func TestS3AllowsWebOrigins(t *testing.T) {
	// By configured origins: the expected Access-Control-Allow-Origin, by origin of the page.
	for allowed, answers := range map[string]map[string]string{
		"":                         {ownPage: ""},
		ownPage:                    {ownPage: ownPage, otherPage: ""},
		ownPage + " " + secondPage: {ownPage: ownPage, secondPage: secondPage, otherPage: ""},
		"*":                        {ownPage: "*", "": ""}, // clients other than browsers send no origin
	} {
		t.Run(allowed, func(t *testing.T) {
			client := startS3(t, S3Config{Origins: strings.Fields(allowed)})
			for origin, want := range answers {
				wantAllowed(t, client, origin, want)
			}
		})
	}
}

// wantAllowed puts an object as a page of the origin would, and checks which origin the responses allow.
func wantAllowed(t *testing.T, client *s3.Client, origin, want string) {
	t.Helper()
	signed := presign(t, client, "files/"+strings.TrimPrefix(origin, "http://")+"/a")
	for _, method := range []string{http.MethodOptions, signed.Method} {
		req, err := http.NewRequestWithContext(t.Context(), method, signed.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Header.Set("Origin", origin); origin == "" {
			req.Header.Del("Origin")
		}
		if method == http.MethodOptions {
			req.Header.Set("Access-Control-Request-Method", signed.Method)
			req.Header.Set("Access-Control-Request-Headers", "content-type,if-none-match,x-amz-checksum-sha256")
		}
		resp, err := new(http.Client).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s from a page of %q: got the allowed origin %q, want %q (%s)", method, origin, got, want, resp.Status)
		}
		if method == http.MethodOptions && want != "" && (resp.StatusCode/100 != 2 ||
			!strings.Contains(resp.Header.Get("Access-Control-Allow-Headers"), "x-amz-checksum-sha256") ||
			!strings.Contains(resp.Header.Get("Access-Control-Allow-Methods"), http.MethodPut)) {
			t.Errorf("preflight: got %s with %v, want 2xx that allows PUT and the checksum header", resp.Status, resp.Header)
		}
	}
}

func TestS3BucketsKeepTheirOwnOrigins(t *testing.T) {
	client := startS3(t, S3Config{Origins: []string{ownPage}})
	if _, err := client.PutBucketCors(t.Context(), &s3.PutBucketCorsInput{
		Bucket: aws.String(testBucket), CORSConfiguration: &types.CORSConfiguration{CORSRules: []types.CORSRule{{
			AllowedOrigins: []string{otherPage}, AllowedMethods: []string{http.MethodPut}, AllowedHeaders: []string{"*"},
		}}},
	}); err != nil {
		t.Fatal(err)
	}
	wantAllowed(t, client, otherPage, otherPage)
	wantAllowed(t, client, ownPage, "")
}
