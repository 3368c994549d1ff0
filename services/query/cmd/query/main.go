// Command query runs the query service; see package query.
package main

import (
	"os"

	"github.com/assay-project/assay/pkg/engines"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/query"
)

func main() {
	os.Exit(engines.Main(func() int { return process.Main("query", query.Run, query.Notices()...) }))
}
