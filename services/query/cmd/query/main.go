// Command query runs the query service; see package query.
package main

import (
	"os"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/query"
)

func main() { os.Exit(process.Main("query", query.Run, query.Notices()...)) }
