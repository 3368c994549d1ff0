package uploads

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestExpiredURL: an expired presigned URL stores nothing.
func TestExpiredURL(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_UPLOAD_EXPIRES=1s")
	c := s.Client(t, system.NewOwner())
	text := "too late"
	reserved := system.Reserve(t, c, "late.txt", "text/plain", text)
	if left := time.Until(reserved.Upload.ExpiresAt); left > time.Second {
		t.Errorf("the URL expires in %s, want at most 1 s", left)
	}
	// The URL expires 1 s after the second in which it was signed.
	<-time.After(time.Until(reserved.Upload.ExpiresAt.Add(1100 * time.Millisecond)))
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusForbidden || !strings.Contains(body, "AccessDenied") {
		t.Errorf("got status %d, want 403 AccessDenied: %s", status, body)
	}
	checkMissing(t, s.System, reserved)
}
