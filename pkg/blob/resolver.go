package blob

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth"
	endpoints "github.com/aws/smithy-go/endpoints"
)

// resolver remembers the endpoint of a bucket's objects. The SDK goes through its
// rules anew for each request, twice, on a stack that is larger than that of a
// goroutine which has done nothing else yet.
type resolver struct {
	s3.EndpointResolverV2
	known sync.Map // of endpoints.Endpoint, by bucket
}

// ResolveEndpoint returns what the SDK's own resolver does. Of its parameters only
// the bucket differs between the requests of one client that name a key and no
// source of a copy.
func (r *resolver) ResolveEndpoint(ctx context.Context, p s3.EndpointParameters) (endpoints.Endpoint, error) {
	if p.Bucket == nil || p.Key == nil || p.CopySource != nil {
		return r.EndpointResolverV2.ResolveEndpoint(ctx, p)
	}
	if known, ok := r.known.Load(*p.Bucket); ok {
		return fresh(known.(endpoints.Endpoint)), nil
	}
	endpoint, err := r.EndpointResolverV2.ResolveEndpoint(ctx, p)
	if err == nil {
		r.known.Store(*p.Bucket, fresh(endpoint))
	}
	return endpoint, err
}

// fresh copies what the SDK writes into: the ways to sign.
func fresh(e endpoints.Endpoint) endpoints.Endpoint {
	ways, signed := auth.GetAuthOptions(&e.Properties)
	if !signed {
		return e
	}
	own := make([]*auth.Option, len(ways))
	for i, way := range ways {
		own[i] = &auth.Option{SchemeID: way.SchemeID}
		own[i].IdentityProperties.SetAll(&way.IdentityProperties)
		own[i].SignerProperties.SetAll(&way.SignerProperties)
	}
	var properties smithy.Properties
	properties.SetAll(&e.Properties)
	auth.SetAuthOptions(&properties, own)
	e.Properties = properties
	return e
}
