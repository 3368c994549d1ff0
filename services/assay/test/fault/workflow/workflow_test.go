package workflow

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
)

func TestFileIsProcessed(t *testing.T) {
	w := start(t)
	w.worker(nil)
	f := w.ended(w.add("a.txt", "", "one two two\n").ID)
	if f.Status != library.Processed || f.MD5 == "" || f.Metadata["contentType"] != "text/plain" || f.Metadata["length"] != 12.0 || f.Metadata["md5"] != f.MD5 {
		t.Errorf("file = %+v, want Processed with its MD5 digest and metadata", f)
	}
	flow, err := w.Workflow(t.Context(), f.ID)
	if err != nil || !flow.Final() || !flow.MetadataCompleted || flow.StepResults[extract.StepMetadata].Attempts != 1 {
		t.Errorf("workflow = %+v, %v, want it final after one attempt of the metadata step", flow, err)
	}
	w.erase(f.ID)
	w.until("the erasure", func() error { return w.nothing(f.ID) })
	w.idle()
}
