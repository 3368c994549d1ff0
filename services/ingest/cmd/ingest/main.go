// Command ingest runs the ingest service; see package ingest.
package main

import (
	"os"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest"
)

func main() { os.Exit(process.Main("ingest", ingest.Run, web.DocsNotice())) }
