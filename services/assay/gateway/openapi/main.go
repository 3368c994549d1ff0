// Command openapi prints the OpenAPI document of the API, from which the types of the web app are generated.
package main

import (
	"fmt"
	"os"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

func main() {
	r := web.NewRouter(web.Options{Title: "Assay"})
	ingest.Describe(r)
	query.Describe(r)
	document, err := r.API.OpenAPI().MarshalJSON()
	if err == nil {
		_, err = os.Stdout.Write(document)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
