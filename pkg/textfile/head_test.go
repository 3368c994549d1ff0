package textfile

import (
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// TestHeadOmitsResult checks that Head returns all attributes of a file except its result.
func TestHeadOmitsResult(t *testing.T) {
	d := open(t)
	if _, err := d.Head(t.Context(), "f1"); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a missing file: got error %v, want ErrNotFound", err)
	}
	f, err := d.Reserve(t.Context(), File{FileID: "f1", OwnerID: "ann", S3Bucket: "b", S3Key: "k", FileName: "n"})
	if err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		want, err := d.Get(t.Context(), "f1")
		if err != nil {
			t.Fatal(err)
		}
		want.Result = nil
		if got, err := d.Head(t.Context(), "f1"); err != nil || got != want {
			t.Errorf("got %+v, error %v, want %+v", got, err, want)
		}
	}
	check()
	if f, err = d.Claim(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if f, err = d.Fail(t.Context(), f, "why"); err != nil {
		t.Fatal(err)
	}
	check()
	if f, err = d.Retry(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if f, err = d.Claim(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if _, err = d.Complete(t.Context(), f, Result{TotalWords: 1}); err != nil {
		t.Fatal(err)
	}
	check()
}
