package enginetest_test

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/assay-project/assay/pkg/engines"
	"github.com/assay-project/assay/pkg/engines/rdkit"
)

var fill = flag.String("fill", "", "the `folder` for the compiled RDKit")

// TestFill compiles RDKit. FillRDKit runs it.
func TestFill(t *testing.T) {
	if *fill == "" {
		t.Skip("run by FillRDKit")
	}
	ctx, e := context.Background(), rdkit.New(engines.Config{Cache: *fill, Workers: 2})
	if err := errors.Join(e.Prepare(ctx), e.Close(ctx)); err != nil {
		t.Error(err)
	}
}
