package wasmtest_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

var fill = flag.String("fill", "", "the `folder` for the compiled RDKit")

// TestFill compiles RDKit. FillRDKit runs it.
func TestFill(t *testing.T) {
	if *fill == "" {
		t.Skip("run by FillRDKit")
	}
	ctx, e := context.Background(), rdkit.New(wasm.Config{Cache: *fill, Workers: 2})
	if err := errors.Join(e.Prepare(ctx), e.Close(ctx)); err != nil {
		t.Error(err)
	}
}
