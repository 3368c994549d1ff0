// Package dynamolite is an embedded DynamoDB: an http.Handler that speaks the
// DynamoDB and DynamoDB Streams JSON 1.0 protocols and stores its data in one
// bbolt file.
//
// The source files:
//
//	wire.go, errors.go       the protocol: requests, responses and errors
//	constraints.go           parameter checks that DynamoDB reports together
//	schema.go, tables.go …   table definitions and their operations
//	settings.go, tags.go …   encryption, tags and continuous backups
//	backup.go, copy.go …     backups and restores
//	key.go, store.go         how items, indexes, TTL and streams are stored in bbolt
//	seal.go                  the checksum of each stored value
//	commit.go, journal.go    group commit: many requests, one sync
//	recovery.go, repair.go   recovery after a crash; truncating a damaged journal
//	action.go, items.go      one write of one item; Put, Get, Update, DeleteItem
//	page.go, query.go …      Query and Scan
//	batch.go, transact.go    several items in one request
//	streams.go, ttl.go       change streams; expiry
//	faults.go                fault injection, for tests
//	attr, expr               values and expressions (packages of their own)
//	iam                      IAM policies, for Options.Allow
package dynamolite
