package enginetest_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/assay-project/assay/services/analyzer/engines"
	"github.com/assay-project/assay/services/analyzer/engines/enginetest"
	"github.com/assay-project/assay/services/analyzer/engines/pdfium"
	"github.com/assay-project/assay/services/analyzer/engines/resvg"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

var fill = flag.String("fill", "", "the folder for the compiled programs")

// TestFill compiles all programs. Fill runs it.
func TestFill(t *testing.T) {
	if *fill == "" {
		t.Skip("it is run by Fill")
	}
	ctx, cfg := context.Background(), engines.Config{Cache: *fill, Workers: 2}
	for _, e := range []enginetest.Engine{pdfium.New(cfg), resvg.New(cfg), pixels.NewDecoder(0, cfg)} {
		if err := errors.Join(e.Prepare(ctx), e.Close(ctx)); err != nil {
			t.Error(err)
		}
	}
}
