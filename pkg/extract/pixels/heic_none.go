//go:build noheic

package pixels

import (
	"context"
	"image"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// heicIncluded is false: HEIC is not a supported format.
const heicIncluded = false

// heicNotice is empty: the HEIC decoder is not included.
func heicNotice() string { return "" }

type heif struct{}

func newHEIF(wasm.Config) heif { return heif{} }

func (heif) Prepare(context.Context) error { return nil }

func (heif) Close(context.Context) error { return nil }

func (heif) decode(context.Context, []byte, Info) (image.Image, error) { return nil, ErrFormat }

func heicMemory(int64, int, bool) int64 { return 0 }
