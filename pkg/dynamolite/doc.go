// Package dynamolite is an embedded DynamoDB: an http.Handler that speaks the
// DynamoDB and DynamoDB Streams JSON 1.0 protocols over one bbolt file.
//
// Where things are:
//
//	wire.go, errors.go       the protocol: requests in, answers and errors out
//	constraints.go           parameter checks that DynamoDB reports together
//	schema.go, tables.go …   table definitions and their operations
//	key.go, store.go         how items, indexes, TTL and streams lie in bbolt
//	seal.go                  the checksum of each stored value
//	commit.go, journal.go    group commit: many requests, one sync
//	recovery.go, repair.go   what a crash has left; cutting a damaged journal
//	action.go, items.go      one write of one item; Put, Get, Update, DeleteItem
//	page.go, query.go …      Query and Scan
//	batch.go, transact.go    several items in one request
//	streams.go, ttl.go       change streams; expiry
//	faults.go                failures on demand, for tests
//	attr, expr               values and expressions (packages of their own)
//	iam                      what policies allow, for Options.Allow
package dynamolite
