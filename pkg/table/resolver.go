package table

import (
	"context"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	endpoints "github.com/aws/smithy-go/endpoints"
)

// resolver remembers the endpoint of a client that has one of its own. The SDK goes
// through its rules and parses the URL anew for each request, with the same end: what
// else a request names decides only between endpoints of AWS.
type resolver struct {
	dynamodb.EndpointResolverV2
	known atomic.Pointer[endpoints.Endpoint]
}

// ResolveEndpoint returns what the SDK's own resolver does.
func (r *resolver) ResolveEndpoint(ctx context.Context, p dynamodb.EndpointParameters) (endpoints.Endpoint, error) {
	if known := r.known.Load(); known != nil {
		return *known, nil
	}
	endpoint, err := r.EndpointResolverV2.ResolveEndpoint(ctx, p)
	if err == nil {
		r.known.Store(&endpoint)
	}
	return endpoint, err
}
