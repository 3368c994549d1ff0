// Command query runs the query service; see package query.
package main

import (
	"os"

	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/query"
)

func main() {
	os.Exit(wasm.Main(func() int { return process.Main("query", query.Run, query.Notices()...) }))
}
