package missing

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestDamagedDatabaseIsReported: the pages of the database file are damaged while the server runs. Requests fail soon
// instead of hanging, readyz names the file, and `assay verify` reports it.
func TestDamagedDatabaseIsReported(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	api := s.Client(t, system.NewOwner())
	text := system.RandomText(34, 60)
	system.CheckResult(t, system.Await(t, api, system.UploadPresigned(t, api, "before.txt", "text/plain", []byte(text)).FileID), system.Count(text))
	path := filepath.Join(s.Dir, "dynamodb.db")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	roots := int64(2 * os.Getpagesize()) // the journal restores them
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xff}, int(info.Size()-roots)), roots); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	_, err = api.ListPage(t.Context(), client.Listing{})
	if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusInternalServerError && problem.Status != http.StatusServiceUnavailable {
		t.Errorf("list of files: got error %v, want one with the status 500 or 503", err)
	}
	if took := time.Since(started); took > system.StartWait {
		t.Errorf("list of files: response after %s, want it within %s", took, system.StartWait)
	}
	if status, body := system.Get(t, s.HTTP+"/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, `"database file":"page `) {
		t.Errorf("readyz: %d %s, want 503 and the damaged page", status, body)
	}
	s.Program.Kill(t)
	verify := system.Launch(t, "assay", nil, "verify", "--data", s.Dir)
	if status := verify.End(t); status != 1 || !strings.Contains(verify.Written(), "of the file is damaged") {
		t.Errorf("verify: exit status %d, %s, want 1 and the damaged page", status, verify.Written())
	}
}
