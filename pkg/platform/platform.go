// Package platform accesses the table assay-platform, which contains the data of Assay itself rather than of an
// area.
//
// Kinds of rows, by their keys:
//
//	PK             SK        content
//	FEED#SOURCE    <name>    a source of the feed: settings, state, lease; written by ingest
//	FEED#ALERT     <name>    settings of an alert of the feed; written by ingest (pkg/feed/alert)
//	FEED#ALERTSTATE  <name>  its state; written by query
//	FEED#SIMILAR#<band>  <band>  feed items that share a part of their similarity hash; written by analyzer
//	PHOTO#PROVIDER <name>    settings of a provider of photo jobs; written by ingest (pkg/photojob/policy)
//	PHOTO#STATE    <name>    usage, budget and suspension of its calls; written by the analyzers
//	PHOTO#KEY      renditions  the key that signs URLs of photos, created once; written by ingest (pkg/photojob/rendition)
//	LIBRARY#KEY    links     the key that signs share links, created once; written by ingest (pkg/library/link)
//	LIBRARY#KEY    ids       the secret on which the ids of nodes depend, created once; written by ingest (pkg/library/link)
//	SWEEP          <area>    reports of the last sweeps; written by the analyzers (pkg/sweep)
//	IDENTITY#KEY   <id>      an API key: owner, scopes, hash of its secret; written by ingest (pkg/identity)
//	IDENTITY#USE   <id>      when an API key was last used; written by the programs that accept it
//	IDENTITY#SECRET session  the key that seals sessions of the web app, created once; written by ingest
//	QUOTAS#LIMITS  <owner>   the quotas that operators have set for an owner; written by ingest (pkg/quota)
//	QUOTAS#OWNERS  <owner>   an owner whose items are counted
//	QUOTA#<owner>  use       the usage of the owner: the sum of its other rows, and since when they are counted
//	QUOTA#<owner>  <area>#<id>  the usage of one item; written by ingest and analyzer
//	UPLOAD#WITHDRAWN <area>#<id>  an item that was deleted while its content could still be uploaded; written by ingest
//	WEBHOOK#OWNER#<owner>  <endpoint>  an endpoint of the owner; written by ingest (pkg/webhook). The owner * is the operators
//	WEBHOOK#HEALTH#<owner>  <endpoint>  how deliveries to the endpoint end; written by query
//	WEBHOOK#ITEM#<area>  <id>  the endpoint that an item names; written by ingest
//	WEBHOOK#KEY    secrets   the key that encrypts the secrets of endpoints, created once; written by ingest
//	WEBHOOK#LOG#<endpoint>  <time>#<event>  a delivery; written by query
//	WEBHOOK#PENDING#<shard>  <endpoint>#<next attempt>#<time>#<event>  a pending delivery; written by query
//	TAG#<owner>    <area>#<id>  the tags that an owner gave to an item; written by ingest (pkg/saved)
//	TAG#<owner>    count     the number of items that the owner has tagged; written by ingest
//	TAG#           <owner>   an owner that has tagged an item; written by ingest, for sweeps
//	SEARCH#<owner>  <name>   a search that the owner has saved; written by ingest (pkg/saved)
//	MATCH#<owner>  <area>#<id>  the searches of the owner that an item has matched; written by query (pkg/saved)
//	RULE#<owner>   <name>    a rule of the owner; written by ingest (pkg/saved)
//	RULELOG#<owner>  <area>#<id>  what the rules of the owner have done with an item; written by ingest (pkg/saved)
//	CHECKPOINT#<projection>  <log>     the position up to which a log is processed, and its holder; written by query (pkg/checkpoint)
//
// DynamoDB deletes a row some time after its attribute expiresAt (epoch seconds, optional); readers filter expired rows
// themselves. A program may use only the partitions of its own kinds of rows (deploy/iam).
//
// During an upgrade, processes of two versions use the table. A row that an older version cannot read has the attribute
// formatVersion; older processes leave it to newer ones. Otherwise, a change keeps attributes and JSON fields that the
// writer does not know (PutJSON; the updates of other packages).
package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
)

// Partitions.
const (
	FeedSources     = "FEED#SOURCE"      // sources of the feed
	FeedAlerts      = "FEED#ALERT"       // settings of the alerts of the feed
	FeedAlertStates = "FEED#ALERTSTATE"  // their states
	FeedSimilar     = "FEED#SIMILAR#"    // prefix of the partitions with feed items by a part of their similarity hash
	PhotoProviders  = "PHOTO#PROVIDER"   // settings of providers of photo jobs
	PhotoKeys       = "PHOTO#KEY"        // keys of photo jobs
	LibraryKeys     = "LIBRARY#KEY"      // keys of the library
	PhotoStates     = "PHOTO#STATE"      // usage, budget and suspension of providers
	Sweeps          = "SWEEP"            // reports of sweeps
	Keys            = "IDENTITY#KEY"     // API keys
	KeyUses         = "IDENTITY#USE"     // last uses of API keys
	Secrets         = "IDENTITY#SECRET"  // secrets of pkg/identity
	QuotaLimits     = "QUOTAS#LIMITS"    // quotas of owners that differ from the settings
	QuotaOwners     = "QUOTAS#OWNERS"    // owners whose items are counted
	Quota           = "QUOTA#"           // prefix of the partitions with each owner's usage
	Withdrawn       = "UPLOAD#WITHDRAWN" // items deleted while their content could still be uploaded
	Endpoints       = "WEBHOOK#OWNER#"   // prefix of the partitions with the webhook endpoints of owners
	EndpointHealth  = "WEBHOOK#HEALTH#"  // prefix of the partitions with the health of the endpoints of owners
	EndpointItems   = "WEBHOOK#ITEM#"    // prefix of the partitions with the endpoints that items of an area name
	EndpointKeys    = "WEBHOOK#KEY"      // keys that encrypt the secrets of endpoints
	Deliveries      = "WEBHOOK#LOG#"     // prefix of the partitions with the deliveries to each endpoint
	Pending         = "WEBHOOK#PENDING#" // prefix of the partitions with pending deliveries
	Tags            = "TAG#"             // prefix of the partitions with the tags of owners
	Searches        = "SEARCH#"          // prefix of the partitions with the saved searches of owners
	Matches         = "MATCH#"           // prefix of the partitions with the searches of owners that items have matched
	Rules           = "RULE#"            // prefix of the partitions with the rules of owners
	RuleLogs        = "RULELOG#"         // prefix of the partitions with what the rules of owners have done with items
	Checkpoints     = "CHECKPOINT#"      // prefix of the partitions with the checkpoints of each projection
)

// Attributes of rows of all kinds.
const (
	PartitionKey = "PK"
	SortKey      = "SK"
	ExpiresAt    = "expiresAt" // epoch seconds; optional
)

// Format is the highest format of rows that this version of Assay reads. A row states its format only if it is above 1, in
// the attribute FormatVersion. Rows of higher formats are left to newer processes: they are neither read, replaced nor
// deleted.
const (
	Format        = 1
	FormatVersion = "formatVersion"
)

var (
	// ErrNotFound means that the document does not exist.
	ErrNotFound = errors.New("the document does not exist")
	// ErrChanged means that the version of a document differs from the one that the writer read.
	ErrChanged = errors.New("the document has changed since it was read")
	// ErrNewer means that a newer version of Assay has written the document, and this one cannot read it. It has the HTTP
	// status 503, because a process of the newer version can serve the request.
	ErrNewer error = newerError{}
)

type newerError struct{}

func (newerError) Error() string       { return "the document was written by a newer version of Assay" }
func (newerError) HTTPStatusCode() int { return http.StatusServiceUnavailable }

// Config names the table.
type Config struct {
	Table string `env:"ASSAY_PLATFORM_TABLE" envDefault:"assay-platform" doc:"the DynamoDB table for data that belongs to no area, such as feed sources"`
}

// Store reads and writes documents: rows that are read and replaced as a unit, by writers that have read the latest
// version. It is safe for concurrent use.
type Store struct {
	db    *dynamodb.Client
	table string
}

// NewStore returns the store of the table.
func NewStore(db *dynamodb.Client, cfg Config) *Store { return &Store{db: db, table: cfg.Table} }

func tables(cfg Config) []table.Schema {
	return []table.Schema{{TTL: ExpiresAt, Item: Document{}, Create: &dynamodb.CreateTableInput{
		TableName:   &cfg.Table,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(PartitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(SortKey), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(PartitionKey), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(SortKey), KeyType: types.KeyTypeRange},
		},
	}}}
}

// Check reports whether the table can be used, for readiness.
func (s *Store) Check(ctx context.Context) error { return table.Check(ctx, s.db, s.table) }

// Document is one row. Version is 1 at first and increases by 1 with every write.
type Document struct {
	Name    string `dynamodbav:"SK"`
	Version int64  `dynamodbav:"version"`
	Body    string `dynamodbav:"document"`
	Expires int64  `dynamodbav:"expiresAt"` // epoch seconds; 0 means never
	// Format is the format of the row. 0 means 1. See the constant Format.
	Format int64 `dynamodbav:"formatVersion"`
}

// Key returns the key of a row.
func Key(partition, name string) table.Key {
	return table.Key{PartitionKey: table.Text(partition), SortKey: table.Text(name)}
}

// Get reads a document with strong consistency. It returns ErrNotFound if the document does not exist, and ErrNewer.
func (s *Store) Get(ctx context.Context, partition, name string) (Document, error) {
	d, _, err := s.get(ctx, partition, name)
	return d, err
}

// get also returns the row.
func (s *Store) get(ctx context.Context, partition, name string) (Document, table.Key, error) {
	fail := func(err error) (Document, table.Key, error) {
		return Document{}, nil, fmt.Errorf("get %s %s: %w", partition, name, err)
	}
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: Key(partition, name), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return fail(err)
	}
	if out.Item == nil {
		return fail(ErrNotFound)
	}
	var d Document
	if err := attributevalue.UnmarshalMap(out.Item, &d); err != nil {
		return fail(err)
	}
	if d.Format > Format {
		return fail(ErrNewer)
	}
	return d, out.Item, nil
}

// List reads all documents of a partition by name, with strong consistency. It omits those of newer formats.
func (s *Store) List(ctx context.Context, partition string) ([]Document, error) {
	var all []Document
	pages := dynamodb.NewQueryPaginator(s.db, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :partition"),
		ExpressionAttributeValues: table.Key{":partition": table.Text(partition)},
	})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", partition, err)
		}
		var page []Document
		if err := attributevalue.UnmarshalListOfMaps(out.Items, &page); err != nil {
			return nil, fmt.Errorf("list %s: %w", partition, err)
		}
		all = append(all, slices.DeleteFunc(page, func(d Document) bool { return d.Format > Format })...)
	}
	return all, nil
}

// Next returns the name of the first row of a partition that sorts after the given one, or "" if there is none.
func (s *Store) Next(ctx context.Context, partition, after string) (string, error) {
	in := &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(1),
		KeyConditionExpression:    aws.String("PK = :partition"),
		ExpressionAttributeValues: table.Key{":partition": table.Text(partition)},
	}
	if after != "" {
		in.KeyConditionExpression = aws.String("PK = :partition AND SK > :after")
		in.ExpressionAttributeValues[":after"] = table.Text(after)
	}
	out, err := s.db.Query(ctx, in)
	if err != nil {
		return "", fmt.Errorf("list %s: %w", partition, err)
	}
	if len(out.Items) == 0 {
		return "", nil
	}
	return table.TextOf(out.Items[0][SortKey]), nil
}

func (d Document) item(partition string) table.Key {
	item := Key(partition, d.Name)
	item["version"], item["document"] = table.Integer(d.Version+1), table.Text(d.Body)
	if d.Expires > 0 {
		item[ExpiresAt] = table.Integer(d.Expires)
	}
	if d.Format > 1 {
		item[FormatVersion] = table.Integer(d.Format)
	}
	return item
}

// readable is the condition that a row does not exist or has a format that this version reads.
const readable = "attribute_not_exists(" + FormatVersion + ") OR " + FormatVersion + " <= :format"

func formats() table.Key { return table.Key{":format": table.Integer(Format)} }

// newer returns ErrNewer for an error that means that a row is not readable.
func newer(err error) error {
	if _, failed := errors.AsType[*types.ConditionalCheckFailedException](err); failed {
		return ErrNewer
	}
	return err
}

// Set writes a document, regardless of its version. It returns ErrNewer.
func (s *Store) Set(ctx context.Context, partition string, d Document) error {
	_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: d.item(partition), ConditionExpression: aws.String(readable), ExpressionAttributeValues: formats(),
	})
	if err != nil {
		return fmt.Errorf("set %s %s: %w", partition, d.Name, newer(err))
	}
	return nil
}

// Put writes a document whose version was d.Version when it was read, or a new one for version 0. If several
// writers have read the same version, one succeeds and the others get ErrChanged.
//
// If the response is lost, the SDK retries the request and mistakes its own write for that of another writer. A
// writer that gets ErrChanged reads the document again.
func (s *Store) Put(ctx context.Context, partition string, d Document) error {
	return s.put(ctx, partition, d, nil)
}

// put also writes the given attributes.
func (s *Store) put(ctx context.Context, partition string, d Document, others table.Key) error {
	item := d.item(partition)
	for name, value := range others {
		if _, own := item[name]; !own {
			item[name] = value
		}
	}
	in := &dynamodb.PutItemInput{TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK)")}
	if d.Version > 0 {
		in.ConditionExpression = aws.String("version = :seen")
		in.ExpressionAttributeValues = table.Key{":seen": table.Integer(d.Version)}
	}
	_, err := s.db.PutItem(ctx, in)
	if _, changed := errors.AsType[*types.ConditionalCheckFailedException](err); changed {
		err = ErrChanged
	}
	if err != nil {
		return fmt.Errorf("put %s %s, version %d: %w", partition, d.Name, d.Version, err)
	}
	return nil
}

// Delete deletes a document, regardless of its version. It succeeds if there is none, and returns ErrNewer.
func (s *Store) Delete(ctx context.Context, partition, name string) error {
	_, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: Key(partition, name), ConditionExpression: aws.String(readable), ExpressionAttributeValues: formats(),
	})
	if err != nil {
		return fmt.Errorf("delete %s %s: %w", partition, name, newer(err))
	}
	return nil
}

// Newer counts the rows of newer formats. It reads the table.
func (s *Store) Newer(ctx context.Context) (n int, err error) {
	pages := dynamodb.NewScanPaginator(s.db, &dynamodb.ScanInput{
		TableName: &s.table, Select: types.SelectCount, FilterExpression: aws.String(FormatVersion + " > :format"), ExpressionAttributeValues: formats(),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, fmt.Errorf("scan %s: %w", s.table, err)
		}
		n += int(page.Count)
	}
	return n, nil
}
