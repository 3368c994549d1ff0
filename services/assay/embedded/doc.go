// Package embedded runs the three engines of `assay serve` in this process:
// NATS with JetStream, an S3 server and DynamoDB. Each listens on a TCP
// address and keeps its data in a folder, so that the services reach it by
// endpoint and credentials, as they would reach the real thing.
//
// The engines lock nothing: the caller makes sure that one process at a time
// uses a folder.
package embedded

// loopback is where engines listen when no host is given.
const loopback = "127.0.0.1"
