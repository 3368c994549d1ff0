package feed

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Config names the tables.
type Config struct {
	Primary   string `env:"ASSAY_FEED_TABLE" envDefault:"sentiment-items-primary" doc:"the DynamoDB table of feed items"`
	Dashboard string `env:"ASSAY_FEED_DASHBOARD_TABLE" envDefault:"sentiment-items-dashboard" doc:"the DynamoDB table of the feed's dashboard"`
}

// Item is an item of the primary table. These attributes are not in the seed:
//   - compound, which cannot be derived from sentiment and score of a neutral text;
//   - analyzed_at and failed_at, which make repeated outcome events equal,
//     and error_message, the reason why a pending item could not be analyzed;
//   - writer, a unique token (trace.go), which lets a writer whose response was lost recognize its own item, and distinguishes the item from
//     an earlier one that had the same source id and was deleted;
//   - sender, the first sender of the item, whose share of the queue and whose quotas it uses;
//   - expires_at, if items expire.
type Item struct {
	SourceID     string          `dynamodbav:"source_id"`
	IngestedAt   string          `dynamodbav:"ingested_at"` // TimeLayout
	SourceType   string          `dynamodbav:"source_type"`
	SourceURL    string          `dynamodbav:"source_url,omitempty"`
	TextSnippet  string          `dynamodbav:"text_snippet,omitempty"`
	Sentiment    string          `dynamodbav:"sentiment"`
	Score        float64         `dynamodbav:"score"`    // confidence in Sentiment, 0 to 1
	Compound     float64         `dynamodbav:"compound"` // -1 to 1
	ModelVersion string          `dynamodbav:"model_version"`
	MatchedTags  []string        `dynamodbav:"matched_tags,stringset"`
	Metadata     table.Document  `dynamodbav:"metadata,omitempty"`
	Status       lifecycle.State `dynamodbav:"status"`
	SimilarTo    string          `dynamodbav:"similar_to,omitempty"`    // the id of an earlier item with nearly the same text
	AnalyzedAt   string          `dynamodbav:"analyzed_at,omitempty"`   // TimeLayout; of the last analysis, empty before the first
	FailedAt     string          `dynamodbav:"failed_at,omitempty"`     // TimeLayout; set only while the item is given up
	ErrorMessage string          `dynamodbav:"error_message,omitempty"` // why it was given up
	Writer       string          `dynamodbav:"writer,omitempty"`
	Sender       string          `dynamodbav:"sender,omitempty"`     // an owner, the address of a client, or a source; see Tenant
	ExpiresAt    int64           `dynamodbav:"expires_at,omitempty"` // epoch seconds; 0 for never
}

// TimeLayout is the format of stored times: UTC with milliseconds and a fixed width, so that they
// sort as text.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Ingested returns IngestedAt as a time.
func (i Item) Ingested() (time.Time, error) { return time.Parse(TimeLayout, i.IngestedAt) }

// Sentiments of an item.
const (
	Positive = "positive"
	Neutral  = "neutral"
	Negative = "negative"
)

// Placeholders of a pending item.
const (
	pendingSentiment = Neutral
	pendingScore     = 0.5
	pendingModel     = "v0.0.0"
)

// Retention is the time for which the dashboard table retains an item after its IngestedAt.
const Retention = 7 * 24 * time.Hour

// Attributes and indexes of the tables.
const (
	AttrSourceID       = "source_id"
	AttrIngestedAt     = "ingested_at"
	AttrDayPartition   = "day_partition"
	AttrSentimentScore = "sentiment_score_combined"
	AttrTag            = "tag"
	AttrMatchedTags    = "matched_tags"
	AttrTextSnippet    = "text_snippet"
	AttrSourceURL      = "source_url"
	AttrMetadata       = "metadata"
	attrAnalyzedAt     = "analyzed_at"
	attrSimilarTo      = "similar_to"
	AttrFailedAt       = "failed_at"
	AttrErrorMessage   = "error_message"
	AttrExpiresAt      = "expires_at"
	AttrRevision       = "revision"
	AttrStatus         = "status"
	attrWriter         = "writer"
	IndexBySentiment   = "by_sentiment"
	IndexByTag         = "by_tag"
)

// Tables returns the tables of the area.
func Tables(cfg Config) []table.Schema {
	return []table.Schema{
		{
			Create: primarySchema(cfg.Primary), TTL: AttrExpiresAt, Recovery: true, Regions: []string{"us-west-2", "eu-west-1", "ap-south-1"}, Item: Item{},
		},
		{Create: dashboardSchema(cfg.Dashboard), TTL: AttrExpiresAt},
	}
}

// tagsOf returns the tags of a table.
func tagsOf(kind string) []types.Tag {
	return table.Tags(map[string]string{"Feature": "001-interactive-dashboard-demo", "TableType": kind})
}

// encrypted selects the key of KMS that AWS manages.
func encrypted() *types.SSESpecification {
	return &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms}
}

// primarySchema returns the schema of the table that writers use. It has no index and a stream with both images.
func primarySchema(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: texts(AttrSourceID, AttrIngestedAt),
		KeySchema:            keys(AttrSourceID, AttrIngestedAt),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
		SSESpecification: encrypted(),
		Tags:             tagsOf("primary-write"),
	}
}

// dashboardSchema returns the schema of the table that readers use. The rows of items are of two
// kinds, with distinct keys:
//
//	         day_partition   ingested_at                      in the index
//	base     2025-11-16      <iso>#<source_id>                by_sentiment
//	tag      2025-11-16#tag  <iso>#<source_id>#<tag>          by_tag, by_sentiment
//
// A base row has no tag, and an index omits rows without its key. An item therefore
// appears once in its day, also in by_sentiment, and once for each tag in by_tag, and
// reading a day reads no tag rows. In by_sentiment, the partition of tag rows contains
// the highest-scored rows of each tag. Sort keys begin with the ISO time, so conditions
// on times work regardless of the rest of the key. Rows of other partitions are
// counters and changes that could not be projected (services/query/feed).
func dashboardSchema(name string) *dynamodb.CreateTableInput {
	index := func(name, hash, sort string) types.GlobalSecondaryIndex {
		return types.GlobalSecondaryIndex{
			IndexName: &name, KeySchema: keys(hash, sort), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}
	}
	return &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: texts(AttrDayPartition, AttrIngestedAt, AttrSentimentScore, AttrTag),
		KeySchema:            keys(AttrDayPartition, AttrIngestedAt),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			index(IndexBySentiment, AttrDayPartition, AttrSentimentScore), index(IndexByTag, AttrTag, AttrIngestedAt),
		},
		SSESpecification: encrypted(),
		Tags:             tagsOf("read-optimized-dashboard"),
	}
}

func texts(names ...string) []types.AttributeDefinition {
	list := make([]types.AttributeDefinition, len(names))
	for i := range names {
		list[i] = types.AttributeDefinition{AttributeName: &names[i], AttributeType: types.ScalarAttributeTypeS}
	}
	return list
}

func keys(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}

// Key returns the key of an item in the primary table.
func Key(id, ingested string) table.Key {
	return table.Key{
		AttrSourceID:   &types.AttributeValueMemberS{Value: id},
		AttrIngestedAt: &types.AttributeValueMemberS{Value: ingested},
	}
}
