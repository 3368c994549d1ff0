// Command template writes the objects of the chart for a file with values, as helm template does, but without Helm and
// without the chart nats:
//
//	go run ./cmd/template -values assay/ci/keda-values.yaml -release assay -namespace assay > assay.yaml
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/assay-project/assay/deploy/helm/chart"
)

func main() {
	values := flag.String("values", "", "file with values")
	o := chart.Options{}
	flag.StringVar(&o.Dir, "chart", "assay", "folder of the chart")
	flag.StringVar(&o.Release, "release", "assay", "name of the release")
	flag.StringVar(&o.Namespace, "namespace", "assay", "namespace of the release")
	flag.StringVar(&o.NATS, "nats", "", "folder of the chart nats, for its objects")
	flag.Parse()
	if err := write(os.Stdout, *values, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(to io.Writer, values string, o chart.Options) error {
	read, err := chart.Values(values)
	if err != nil {
		return err
	}
	documents, err := chart.Render(read, o)
	if err != nil {
		return err
	}
	return chart.Write(to, documents)
}
