package photojob

import (
	"testing"

	"github.com/assay-project/assay/pkg/photojob"
)

// TestNamesOfEditedPhotos checks that an edited photo has the name of the original with the
// extension of the new format.
func TestNamesOfEditedPhotos(t *testing.T) {
	for original, want := range map[string]string{"a.JPG": "a.webp", "a.b.heic": "a.b.webp", "photo": "photo.webp", "": "ID.webp", `"å".png`: `"å".webp`} {
		job := photojob.Job{JobID: "ID", OriginalFileName: original, S3FinalKey: photojob.FinalKey("ID", 2, "webp")}
		if got := nameOf(job); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", original, got, want)
		}
	}
}
