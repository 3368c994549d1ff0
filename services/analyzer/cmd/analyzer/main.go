// Command analyzer runs the analyzer service; see package analyzer.
package main

import (
	"os"

	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
)

func main() {
	os.Exit(wasm.Main(func() int { return process.Main("analyzer", analyzer.Run, analyzer.Notices()...) }))
}
