// Package embedded runs the three engines of `assay serve` in this process: NATS with JetStream, an
// S3 server and DynamoDB. Each listens on a TCP address and stores its data in a directory. The
// services use them with an endpoint and credentials, as they use the real NATS, S3 and DynamoDB.
//
// The engines do not lock their directories: the caller ensures that only one process at a time
// uses a directory.
package embedded

// loopback is the default host of the engines.
const loopback = "127.0.0.1"
