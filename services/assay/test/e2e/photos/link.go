package photos

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// linkValidity is the time for which a download link is valid.
const linkValidity = 15 * time.Minute

// downloadLinksExpire: a download link is valid for 15 minutes. Instead of waiting, the test signs the same link with an
// earlier time.
func downloadLinksExpire(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", system.DrawPhoto(t, 3)).JobID, client.Completed)
	resp, _ := s.Ask(t, http.MethodGet, "/v1/photos/"+job.JobID+"/download", map[string]string{"X-Owner-Id": owner}, "")
	link := resp.Header.Get("Location")
	if status, body := system.Get(t, link); status != http.StatusOK || int64(len(body)) != job.EditResult.Size {
		t.Fatalf("the link returned status %d with %d bytes, want 200 with %d bytes", status, len(body), job.EditResult.Size)
	}
	for age, want := range map[time.Duration]int{0: http.StatusOK, linkValidity - time.Minute: http.StatusOK, linkValidity + time.Second: http.StatusForbidden} {
		if status, body := system.Get(t, signedBefore(t, s, link, age)); status != want || want == http.StatusForbidden && !strings.Contains(body, "AccessDenied") {
			t.Errorf("a link that is %s old returned status %d, want %d", age, status, want)
		}
	}
}

// signedBefore returns the same link, signed the given time ago.
func signedBefore(t *testing.T, s system.System, link string, age time.Duration) string {
	t.Helper()
	at, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	if query.Get("X-Amz-Expires") != "900" || query.Get("X-Amz-SignedHeaders") != "host" {
		t.Fatalf("the link is signed with %v, want a validity of 900 s and the signed header host", query)
	}
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Signature"} {
		query.Del(name)
	}
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	key := aws.Credentials{AccessKeyID: s.AccessKey, SecretAccessKey: s.SecretKey}
	signed, _, err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).PresignHTTP(
		t.Context(), key, req, "UNSIGNED-PAYLOAD", "s3", s.Region, time.Now().Add(-age))
	if err != nil {
		t.Fatal(err)
	}
	return signed
}
