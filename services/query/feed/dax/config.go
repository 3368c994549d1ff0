// Package dax reads tables through a DynamoDB Accelerator cluster. It is separate from package
// table so that only its users depend on AWS's DAX client. The build tag noclients leaves the client out.
package dax

import (
	"fmt"
	"net/url"
	"slices"
)

// Config configures the cluster.
type Config struct {
	Endpoint string `env:"ASSAY_DAX_ENDPOINT" doc:"the endpoint of a DAX cluster (dax:// or daxs://) for reads of the dashboard, which may then be outdated by up to the cluster's TTL; default: none"`
}

// Validate returns an error for an invalid endpoint.
func (c Config) Validate() error {
	if c.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || !slices.Contains([]string{"dax", "daxs"}, u.Scheme) || u.Hostname() == "" || u.User != nil || u.Path+u.RawQuery+u.Fragment != "" {
		return fmt.Errorf("ASSAY_DAX_ENDPOINT is %q: must be the endpoint of a cluster, such as dax://name.abc123.dax-clusters.us-east-1.amazonaws.com:8111", c.Endpoint)
	}
	return nil
}
