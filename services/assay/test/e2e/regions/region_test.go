package regions

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/globaltable"
)

// items is the name of the replicated table.
const items = "sentiment-items-primary"

// region is a region with its own engines and the programs that run in it.
type region struct {
	*system.Cluster
	name                    string
	ingest, analyzer, query *system.Service // nil while they are not started
}

// startRegion starts the engines of a region, creates its tables, buckets and streams, and starts query. outcome is the sequence
// of its first outcome.
func startRegion(t *testing.T, name string, outcome uint64) *region {
	t.Helper()
	// Sweeps run when the drill calls them, as the runbook does after a failover.
	r := &region{name: name, Cluster: system.StartCluster(t, system.NoSweep, "ASSAY_FEED_CACHE=0s")}
	r.numberOutcomes(t, outcome)
	r.query = r.Service(t, "query")
	r.HTTP = r.query.URL
	return r
}

// firstOutcome is the sequence of the first outcome in region b, so that no position of one region is one of the other.
const firstOutcome = 1_000_000_000_000

// numberOutcomes sets the sequence of the next outcome, as `nats stream purge ASSAY_OUTCOMES --seq` does.
func (r *region) numberOutcomes(t *testing.T, sequence uint64) {
	t.Helper()
	stream, err := r.JetStream(t).Stream(system.Within(t), "ASSAY_OUTCOMES")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(system.Within(t), jetstream.WithPurgeSequence(sequence)); err != nil {
		t.Fatal(err)
	}
}

// startIngest starts ingest.
func (r *region) startIngest(t *testing.T) {
	t.Helper()
	r.ingest = r.Service(t, "ingest")
}

// startAnalyzer starts the analyzer.
func (r *region) startAnalyzer(t *testing.T) {
	t.Helper()
	r.analyzer = r.Service(t, "analyzer")
}

// front starts a gateway in front of the programs.
func (r *region) front(t *testing.T) {
	t.Helper()
	r.Front(t, r.ingest, r.query, r.analyzer)
}

// kill kills all processes of the region at the same time, like a loss of power.
func (r *region) kill(t *testing.T) {
	t.Helper()
	var killing sync.WaitGroup
	for _, p := range []*system.Program{
		r.DynamoDBEngine.Program, r.S3Engine.Program, r.NATSEngine.Program, r.ingest.Program, r.analyzer.Program, r.query.Program,
	} {
		killing.Go(func() { p.Kill(t) })
	}
	killing.Wait()
}

// restart starts the engines again, with their data.
func (r *region) restart(t *testing.T) {
	t.Helper()
	r.NATSEngine.Start(t)
	r.S3Engine.Start(t)
	r.DynamoDBEngine.Start(t)
}

// replica returns the region for the replication of the table. Its clients do not retry, because replication does.
func (r *region) replica() globaltable.Region {
	keys := credentials.NewStaticCredentialsProvider(r.AccessKey, r.SecretKey, "")
	return globaltable.Region{
		Name: r.name,
		DB:   dynamodb.New(dynamodb.Options{BaseEndpoint: &r.DynamoDB, Region: r.Region, Credentials: keys, Retryer: aws.NopRetryer{}}),
		Streams: dynamodbstreams.New(dynamodbstreams.Options{
			BaseEndpoint: &r.DynamoDB, Region: r.Region, Credentials: keys, Retryer: aws.NopRetryer{},
		}),
	}
}

// rows returns all rows of the replicated table by source id, in the order of their times.
func (r *region) rows(t *testing.T) map[string][]feed.Item {
	t.Helper()
	ctx := system.Within(t)
	all := map[string][]feed.Item{}
	pages := dynamodb.NewScanPaginator(r.Tables(), &dynamodb.ScanInput{TableName: aws.String(items), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, attributes := range page.Items {
			item, err := feed.Parse(attributes)
			if err != nil {
				t.Fatal(err)
			}
			all[item.SourceID] = append(all[item.SourceID], item)
		}
	}
	return all
}

// checkpoints returns the streams that the checkpoints of the feed's projection state.
func (r *region) checkpoints(t *testing.T) []string {
	t.Helper()
	out, err := r.Tables().Query(system.Within(t), &dynamodb.QueryInput{
		TableName: aws.String("assay-platform"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :p"),
		ExpressionAttributeValues: system.Item{":p": &types.AttributeValueMemberS{Value: "CHECKPOINT#feed"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, row := range out.Items {
		all = append(all, system.Attribute(t, row, "stream"))
	}
	return all
}

// stream returns the ARN of the stream of the replicated table.
func (r *region) stream(t *testing.T) string {
	t.Helper()
	described, err := r.Tables().DescribeTable(system.Within(t), &dynamodb.DescribeTableInput{TableName: aws.String(items)})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(described.Table.LatestStreamArn)
}

// delete deletes an item as an operator.
func (r *region) delete(t *testing.T, sourceID string) {
	t.Helper()
	operator := system.System{HTTP: r.Operator}
	resp, body := operator.Ask(t, http.MethodDelete, "/v1/feed/items/"+url.PathEscape(sourceID), nil, "")
	if resp.StatusCode != http.StatusNoContent {
		t.Fatalf("delete %s: %d %s, want 204", sourceID, resp.StatusCode, body)
	}
}
