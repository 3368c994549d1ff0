module github.com/assay-project/assay/pkg/subscriber

go 1.26.0

require (
	github.com/assay-project/assay/pkg/event v0.0.0
	github.com/nats-io/nats.go v1.55.0
	github.com/rs/zerolog v1.35.1
)

require (
	github.com/klauspost/compress v1.20.0 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/assay-project/assay/pkg/event => ../event
