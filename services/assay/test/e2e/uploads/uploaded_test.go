package uploads

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPendingReportsWhetherBytesExist: a client can distinguish a file that waits for its bytes from a file that waits
// to be analyzed.
func TestPendingReportsWhetherBytesExist(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	s.HoldNotices(t)
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(34, 50)
	reserved := system.Reserve(t, c, "pending.txt", "text/plain", text)
	get := func() (file struct {
		Status     string
		UploadedAt time.Time
	},
	) {
		resp, body := s.Ask(t, http.MethodGet, "/v1/files/"+reserved.FileID, nil, "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("GET of the file returned %s, want 200: %s", resp.Status, body)
		}
		system.Decode(t, body, &file)
		return file
	}
	if file := get(); file.Status != "PENDING" || !file.UploadedAt.IsZero() {
		t.Errorf("before the upload: got %+v, want PENDING without uploadedAt", file)
	}
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	if file := get(); file.Status != "PENDING" || time.Since(file.UploadedAt).Abs() > time.Minute {
		t.Errorf("after the upload: got %+v, want PENDING with uploadedAt", file)
	}
	if _, err := c.Uploaded(system.Within(t), reserved.FileID); err != nil {
		t.Fatal(err)
	}
	system.CheckResult(t, system.Await(t, c, reserved.FileID), system.Count(text))
	if file := get(); file.Status != "COMPLETED" || !file.UploadedAt.IsZero() {
		t.Errorf("after the analysis: got %+v, want COMPLETED without uploadedAt", file)
	}
}
