// Package area describes the areas of the product. An area is a kind of item with its own tables,
// states and processing. Tables, permissions, documentation and audits are derived from the
// descriptions.
package area

import (
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Area describes one area. Package pkg/<name> returns its description.
type Area struct {
	Storage
	Name    string // used in subjects, ids, logs and metrics
	Machine lifecycle.Machine
	Objects string   // key prefix of its objects in the shared bucket
	Work    bus.Work // stream of its work events
	Log     bus.Log  // stream of other events, which query publishes; zero if none
	Signals string   // subjects of events that the analyzer sends to query and does not store; empty if none
	// QuerySignals is like Signals, for events that a process of query sends to all of them.
	QuerySignals string
	Consumers    []string // consumers of the work stream in the analyzer
	// Events contains one example of each kind of event except outcomes. The subjects of the examples have names
	// in braces, such as {fileId}, in place of ids.
	Events []event.Event
	// Uploaded reports whether clients upload the object with this key directly to the bucket, so that the bucket
	// must send a notification. It is nil if there are no such objects.
	Uploaded func(key string) bool
}

// Storage describes where data is stored, and which access each program has. Storage without an area belongs to
// Assay itself.
type Storage struct {
	Tables  []table.Schema
	Buckets []string // in addition to the shared bucket
	Access  map[Program][]Statement
}

// Program is the name of a program with its own credentials.
type Program string

// Programs.
const (
	Ingest   Program = "ingest"
	Analyzer Program = "analyzer"
	Query    Program = "query"
	Rebuild  Program = "rebuild" // `assay feed rebuild`
	Setup    Program = "setup"   // `assay setup`
	Backup   Program = "backup"  // `assay backup tables` and `assay restore tables`
)

// Statement is a statement of an IAM policy that allows actions.
type Statement struct {
	Sid       string
	Effect    string // always Allow
	Action    []string
	Resource  []string
	Condition map[string]map[string]any `json:",omitempty"`
}

// Allow returns a statement that allows the actions on the resources.
func Allow(sid string, actions []string, resources ...string) Statement {
	return Statement{Sid: sid, Effect: "Allow", Action: actions, Resource: resources}
}

// Attributes limits the statement to requests that name only these attributes.
func (s Statement) Attributes(names ...string) Statement {
	return s.with("ForAllValues:StringLike", "dynamodb:Attributes", names)
}

// LeadingKeys limits the statement to partition keys that match these patterns.
func (s Statement) LeadingKeys(patterns ...string) Statement {
	return s.with("ForAllValues:StringLike", "dynamodb:LeadingKeys", patterns)
}

// ReturningNothing limits the statement to writes that return no attributes.
func (s Statement) ReturningNothing() Statement {
	return s.with("StringEqualsIfExists", "dynamodb:ReturnValues", "NONE")
}

// Selecting limits the statement to reads that name the attributes to return.
func (s Statement) Selecting() Statement {
	return s.with("StringEqualsIfExists", "dynamodb:Select", "SPECIFIC_ATTRIBUTES")
}

func (s Statement) with(operator, key string, value any) Statement {
	all := map[string]map[string]any{}
	for name, conditions := range s.Condition {
		all[name] = map[string]any{}
		for k, v := range conditions {
			all[name][k] = v
		}
	}
	if all[operator] == nil {
		all[operator] = map[string]any{}
	}
	all[operator][key] = value
	s.Condition = all
	return s
}

// Table returns the resource name (ARN) of a DynamoDB table.
func Table(name string) string { return "arn:aws:dynamodb:*:*:table/" + name }

// Bucket is the name of the shared bucket in policies: the default of ASSAY_S3_BUCKET.
const Bucket = "assay-files"

// Objects returns the resource of the objects whose keys begin with prefix.
func Objects(prefix string) string { return ObjectsIn(Bucket, prefix) }

// ObjectsIn returns the resource of the objects of a bucket whose keys begin with prefix.
func ObjectsIn(bucket, prefix string) string { return BucketOf(bucket) + "/" + prefix + "*" }

// BucketOf returns the resource of a bucket itself.
func BucketOf(name string) string { return "arn:aws:s3:::" + name }
