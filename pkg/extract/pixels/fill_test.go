package pixels_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var fill = flag.String("fill", "", "folder for the compiled programs")

// TestFill compiles the programs of the analyzer. It is run by wasmtest.Fill.
func TestFill(t *testing.T) {
	if *fill == "" {
		t.Skip("run by wasmtest.Fill only")
	}
	ctx, cfg := context.Background(), wasm.Config{Cache: *fill, Workers: 2}
	for _, e := range []wasmtest.Engine{pdf.New(cfg), svg.New(cfg), pixels.NewDecoder(budget.New(0), cfg)} {
		if err := errors.Join(e.Prepare(ctx), e.Close(ctx)); err != nil {
			t.Error(err)
		}
	}
}
