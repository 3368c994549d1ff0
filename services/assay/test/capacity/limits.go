package capacity

import (
	"fmt"
	"slices"
	"strings"
)

// Limit is a limit of the system, and what one item uses of it.
type Limit struct {
	What, Source string
	PerSecond    float64
	Use          float64 // per item
	Item         string
	Change       string // what an operator or the product has to change
}

// Items per second at which the limit is reached.
func (l Limit) Items() float64 { return l.PerSecond / l.Use }

// Limits of AWS.
const (
	PartitionUnits = 1000   // write units per second of a partition of a table or index
	TableUnits     = 40_000 // default quota of write units per second of a table on demand
	PrefixPuts     = 3500   // PUT requests per second of a partition of a bucket
	PrefixGets     = 5500   // GET and HEAD requests per second of a partition of a bucket
)

const (
	developerGuide = "DynamoDB Developer Guide"
	userGuide      = "S3 User Guide"
)

// Limits returns the limits that follow from the requests of the items and from the keys in docs/data-model.md, lowest
// first. It does not contain those that the simulation finds.
func Limits() []Limit {
	item := map[string]Item{}
	for _, i := range Items {
		item[i.Name] = i
	}
	transactions := float64(item[TextForm].Calls["dynamodb TransactWriteItems"])
	// An entry of an index that does not change costs nothing, one that moves is deleted and added.
	const transaction, moved = 2, 2
	all := []Limit{
		{
			"text files of one owner: partition `OWNER#<owner>` of `text-analyzer-history`", developerGuide, PartitionUnits, transactions * transaction, TextForm,
			"divide the list of an owner among several partitions, as `OWNER#<owner>#<0…n>`, and merge them when it is read",
		},
		{
			"photos: partition of a status in `status-createdAt-index`", developerGuide, PartitionUnits, moved, Photo,
			"add a shard to the partition key of the index; only sweeps read it",
		},
		{
			"feed items of one day: partition `<day>` of `sentiment-items-dashboard`, and of `by_sentiment`", developerGuide, PartitionUnits, transaction, FeedItem,
			"add a shard to the partition of the day, and merge the shards when it is read",
		},
		{
			"library files: partition of a workflow type in `workflowType-createdAt-index`", developerGuide, PartitionUnits, 1, LibraryFile,
			"add a shard to the partition key of the index",
		},
		{"text files: write units of a table", developerGuide, TableUnits, item[TextForm].WriteUnits, TextForm, "request a higher quota of the table from AWS"},
		{"photos: write units of a table", developerGuide, TableUnits, item[Photo].WriteUnits, Photo, "request a higher quota of the table from AWS"},
		{"feed items: write units of the dashboard", developerGuide, TableUnits, DashboardUnits, FeedItem, "project items in larger batches; request a higher quota of the table from AWS"},
		{"library files: write units of three tables", developerGuide, 3 * TableUnits, item[LibraryFile].WriteUnits, LibraryFile, "request a higher quota of the tables from AWS"},
		{
			"text files: PUT requests of a bucket that S3 has not partitioned yet", userGuide, PrefixPuts, float64(item[TextForm].count(S3, "PUT")), TextForm,
			"raise the load over an hour, or ask AWS to partition the bucket; keys begin with 256 shards, for up to 896,000 requests/s",
		},
		{"photos: PUT requests of such a bucket", userGuide, PrefixPuts, float64(item[Photo].count(S3, "PUT")), Photo, "the same; results are in another bucket, which helps"},
	}
	slices.SortStableFunc(all, func(a, b Limit) int { return int(a.Items() - b.Items()) })
	return all
}

// LimitTable returns the table of Limits, in Markdown.
func LimitTable() string {
	var b strings.Builder
	b.WriteString("|limit|per second|source|an item uses|items/s|change|\n|---|---|---|---|---|---|\n")
	for _, l := range Limits() {
		fmt.Fprintf(&b, "|%s|%.0f|%s|%g|**%.0f**|%s|\n", l.What, l.PerSecond, l.Source, l.Use, l.Items(), l.Change)
	}
	return b.String()
}
