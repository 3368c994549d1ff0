// Command openapi prints the OpenAPI document of the API, or of the operator API with -operators. The types of the web
// app are generated from both.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/serve"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

func main() {
	operators := flag.Bool("operators", false, "print the document of the operator API")
	flag.Parse()
	r := web.NewRouter(web.Options{Title: "Assay"})
	if *operators {
		ingest.DescribeOperator(r)
		query.DescribeOperator(r)
		analyzer.DescribeOperator(r)
		serve.DescribeOperator(r)
	} else {
		ingest.Describe(r)
		query.Describe(r)
	}
	document, err := r.API.OpenAPI().MarshalJSON()
	if err == nil {
		_, err = os.Stdout.Write(document)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
