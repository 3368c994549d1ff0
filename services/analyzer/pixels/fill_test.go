package pixels_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/assay-project/assay/pkg/engines"
	"github.com/assay-project/assay/pkg/engines/enginetest"
	"github.com/assay-project/assay/pkg/engines/pdfium"
	"github.com/assay-project/assay/pkg/engines/resvg"
	"github.com/assay-project/assay/services/analyzer/budget"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

var fill = flag.String("fill", "", "folder for the compiled programs")

// TestFill compiles the programs of the analyzer. It is run by enginetest.Fill.
func TestFill(t *testing.T) {
	if *fill == "" {
		t.Skip("run by enginetest.Fill only")
	}
	ctx, cfg := context.Background(), engines.Config{Cache: *fill, Workers: 2}
	for _, e := range []enginetest.Engine{pdfium.New(cfg), resvg.New(cfg), pixels.NewDecoder(budget.New(0), cfg)} {
		if err := errors.Join(e.Prepare(ctx), e.Close(ctx)); err != nil {
			t.Error(err)
		}
	}
}
