// Package outage proves that a request fails in time and can be repeated while DynamoDB, S3 or NATS is unavailable, and
// that nothing is lost.
package outage
