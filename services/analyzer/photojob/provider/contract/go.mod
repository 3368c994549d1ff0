// The official SDKs against the servers that stand for these services in tests. A module of its own: the product
// contains neither SDK.
module github.com/assay-project/assay/services/analyzer/photojob/provider/contract

go 1.26.0

require (
	github.com/assay-project/assay/pkg/extract v0.0.0
	github.com/assay-project/assay/services/analyzer v0.0.0
	github.com/volcengine/volcengine-go-sdk v1.1.35
	google.golang.org/genai v1.77.0
)

require (
	cloud.google.com/go v0.116.0 // indirect
	cloud.google.com/go/auth v0.18.2 // indirect
	cloud.google.com/go/compute/metadata v0.9.0 // indirect
	github.com/assay-project/assay/pkg v0.0.0 // indirect
	github.com/assay-project/assay/pkg/event v0.0.0 // indirect
	github.com/bep/imagemeta v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/felixge/httpsnoop v1.0.4 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/s2a-go v0.1.9 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/googleapis/enterprise-certificate-proxy v0.3.11 // indirect
	github.com/googleapis/gax-go/v2 v2.17.0 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/jmespath/go-jmespath v0.4.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/molecule-man/go-brrr v1.3.1 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	github.com/volcengine/volc-sdk-golang v1.0.23 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.61.0 // indirect
	go.opentelemetry.io/otel v1.47.0 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.opentelemetry.io/otel/metric v1.47.0 // indirect
	go.opentelemetry.io/otel/trace v1.47.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.83.2 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	gopkg.in/yaml.v2 v2.2.8 // indirect
)

replace github.com/assay-project/assay/services/analyzer => ../../..

replace github.com/assay-project/assay/pkg => ../../../../../pkg

replace github.com/assay-project/assay/pkg/dynamolite => ../../../../../pkg/dynamolite

replace github.com/assay-project/assay/pkg/event => ../../../../../pkg/event

replace github.com/assay-project/assay/pkg/extract => ../../../../../pkg/extract
