package textfile

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/pkg/textfile"
)

// TestUploadedAt checks that a PENDING file has the time of its upload, and none before the upload or while S3 fails.
func TestUploadedAt(t *testing.T) {
	db, _ := tabletest.Start(t)
	cfg := textfile.Config{Table: "files"}
	if err := table.EnsureAll(t.Context(), db, textfile.Tables(cfg)); err != nil {
		t.Fatal(err)
	}
	var status int
	uploaded := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Last-Modified", uploaded.Format(http.TimeFormat))
		w.WriteHeader(status)
	}))
	t.Cleanup(s3.Close)
	a := &Area{store: textfile.NewStore(db, cfg), bucket: blob.New(tabletest.Base(), blob.Config{Endpoint: s3.URL, Bucket: "files"})}
	file, err := a.store.Reserve(t.Context(), textfile.File{FileID: "f1", OwnerID: "ann", S3Key: "files/f1"})
	if err != nil {
		t.Fatal(err)
	}
	in := &getInput{}
	in.ID = file.FileID
	for code, want := range map[int]time.Time{http.StatusOK: uploaded, http.StatusNotFound: {}, http.StatusForbidden: {}} {
		status = code
		out, err := a.getFile(t.Context(), in)
		if err != nil || !out.Body.UploadedAt.Equal(want) {
			t.Errorf("S3 returns %d: got %+v, error %v, want uploadedAt %v", code, out, err, want)
		}
	}
}
