package photojob

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Job is an item of the table. Times are epoch milliseconds; TTL is epoch seconds. The attributes from
// Prompt on are not in the seed; items without them are valid.
type Job struct {
	JobID     string          `dynamodbav:"jobId"`
	UserID    string          `dynamodbav:"userId"`
	Status    lifecycle.State `dynamodbav:"status"`
	CreatedAt int64           `dynamodbav:"createdAt"`
	UpdatedAt int64           `dynamodbav:"updatedAt"` // the fence; increases with every move

	FileSize         int64  `dynamodbav:"fileSize"` // bytes
	FileType         string `dynamodbav:"fileType"` // media type
	OriginalFileName string `dynamodbav:"originalFileName,omitempty"`
	S3TempKey        string `dynamodbav:"s3TempKey,omitempty"`
	S3FinalKey       string `dynamodbav:"s3FinalKey,omitempty"` // only when COMPLETED

	Provider              string `dynamodbav:"provider"` // the requested provider; after the edit, the one that made it
	ProcessingStartedAt   int64  `dynamodbav:"processingStartedAt,omitempty"`
	ProcessingCompletedAt int64  `dynamodbav:"processingCompletedAt,omitempty"`

	AnalysisResult *AnalysisResult `dynamodbav:"analysisResult,omitempty"`
	EditResult     *EditResult     `dynamodbav:"editResult,omitempty"`
	Error          *JobError       `dynamodbav:"error,omitempty"` // of a FAILED job, or of the last attempt

	CorrelationID string `dynamodbav:"correlationId,omitempty"` // X-Request-Id
	TraceID       string `dynamodbav:"traceId,omitempty"`       // in X-Ray format
	TTL           int64  `dynamodbav:"ttl"`

	Prompt    string  `dynamodbav:"prompt,omitempty"`
	Options   Options `dynamodbav:"options,omitempty"`
	Calls     Ledger  `dynamodbav:"calls,omitempty"`
	BatchID   string  `dynamodbav:"batchId,omitempty"`
	BatchSize int     `dynamodbav:"batchSize,omitempty"` // number of jobs of the batch at creation
	Degraded  string  `dynamodbav:"degraded,omitempty"`  // what was not done as requested
}

// Created returns the time when the job was created.
func (j Job) Created() time.Time { return time.UnixMilli(j.CreatedAt).UTC() }

// Updated returns the time when the job last changed its state.
func (j Job) Updated() time.Time { return time.UnixMilli(j.UpdatedAt).UTC() }

// Retried reports whether a QUEUED job was retried: no other move leads back to QUEUED.
func (j Job) Retried() bool { return j.UpdatedAt != j.CreatedAt }

// Begun returns the time when the job was created or last retried, from which its deadline counts.
func (j Job) Begun() time.Time { return time.UnixMilli(max(j.CreatedAt, j.Calls.retried())).UTC() }

// Expired reports whether the table may remove the job at any time. Readers treat it as removed.
func (j Job) Expired(now time.Time) bool { return j.TTL <= now.Unix() }

// Route returns the provider in the subject of the job's work event.
func (j Job) Route() string {
	if j.Options.Provider != "" {
		return j.Options.Provider
	}
	return j.Provider
}

// AnalysisResult describes a photo.
type AnalysisResult struct {
	Labels      []Label     `dynamodbav:"labels" json:"labels"`
	Description string      `dynamodbav:"description,omitempty" json:"description,omitempty"`
	SafeSearch  *SafeSearch `dynamodbav:"safeSearch,omitempty" json:"safeSearch,omitempty" doc:"only from providers that rate it"`
}

// Label names something visible in a photo.
type Label struct {
	Name       string  `dynamodbav:"name" json:"name"`
	Confidence float64 `dynamodbav:"confidence" json:"confidence" minimum:"0" maximum:"1"`
}

// SafeSearch rates the likelihood of sensitive content: VERY_UNLIKELY, UNLIKELY, POSSIBLE, LIKELY or
// VERY_LIKELY.
type SafeSearch struct {
	Adult    string `dynamodbav:"adult" json:"adult" enum:"VERY_UNLIKELY,UNLIKELY,POSSIBLE,LIKELY,VERY_LIKELY"`
	Violence string `dynamodbav:"violence" json:"violence" enum:"VERY_UNLIKELY,UNLIKELY,POSSIBLE,LIKELY,VERY_LIKELY"`
}

// EditResult describes the edited photo.
type EditResult struct {
	S3Key   string         `dynamodbav:"s3Key" json:"-"`
	Width   int            `dynamodbav:"width" json:"width" doc:"pixels"`
	Height  int            `dynamodbav:"height" json:"height" doc:"pixels"`
	Format  string         `dynamodbav:"format" json:"format" enum:"jpeg,png,webp,gif,avif"`
	Size    int64          `dynamodbav:"size" json:"size" doc:"bytes"`
	Outputs []OutputResult `dynamodbav:"outputs,omitempty" json:"outputs,omitempty" doc:"the further results, in the order of the option outputs"`
}

// OutputResult describes a further result of an edit.
type OutputResult struct {
	S3Key  string `dynamodbav:"s3Key" json:"-"`
	Width  int    `dynamodbav:"width" json:"width" doc:"pixels"`
	Height int    `dynamodbav:"height" json:"height" doc:"pixels"`
	Format string `dynamodbav:"format" json:"format" enum:"jpeg,png,webp,gif,avif"`
	Size   int64  `dynamodbav:"size" json:"size" doc:"bytes"`
}

// JobError is the reason why a job failed or, before the job has ended, why its last attempt failed.
type JobError struct {
	Code       string `dynamodbav:"code" json:"code"`
	Message    string `dynamodbav:"message" json:"message" doc:"the reason in words"`
	Stack      string `dynamodbav:"stack,omitempty" json:"-"` // empty in production
	RetryCount int    `dynamodbav:"retryCount" json:"retryCount" doc:"attempts after the first"`
}

const (
	// Lifetime is the time for which the table retains a job after its creation.
	Lifetime = 90 * 24 * time.Hour

	jobIDName     = "jobId"
	userIDName    = "userId"
	statusName    = "status"
	createdAtName = "createdAt"
	updatedAtName = "updatedAt"
	callsName     = "calls"
	ttlName       = "ttl"
	// IndexByUser lists the jobs of a user, IndexByStatus those in a state.
	IndexByUser   = "userId-createdAt-index"
	IndexByStatus = "status-createdAt-index"
)

// Tables returns the table of the area.
func Tables(cfg Config) []table.Schema {
	jobs := table.Schema{Create: schema(cfg.TableName()), TTL: ttlName, Recovery: true, Item: Job{}}
	if cfg.Env == production {
		provision(&jobs)
	}
	return []table.Schema{jobs}
}

// production is the environment whose table has provisioned capacity.
const production = "prod"

// provision gives the table and its indexes provisioned capacity that scales: at first its minimum.
func provision(s *table.Schema) {
	s.Scaling = &table.Scaling{Read: table.Capacity{Min: 25, Max: 100}, Write: table.Capacity{Min: 10, Max: 50}, Target: 70}
	capacity := &types.ProvisionedThroughput{ReadCapacityUnits: &s.Scaling.Read.Min, WriteCapacityUnits: &s.Scaling.Write.Min}
	s.Create.BillingMode, s.Create.ProvisionedThroughput = types.BillingModeProvisioned, capacity
	for i := range s.Create.GlobalSecondaryIndexes {
		s.Create.GlobalSecondaryIndexes[i].ProvisionedThroughput = capacity
	}
}

// schema returns the table to create, with one string key and two indexes by time.
func schema(name string) *dynamodb.CreateTableInput {
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	index := func(name, hash string) types.GlobalSecondaryIndex {
		return types.GlobalSecondaryIndex{
			IndexName: &name, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{
				{AttributeName: &hash, KeyType: types.KeyTypeHash},
				{AttributeName: aws.String(createdAtName), KeyType: types.KeyTypeRange},
			},
		}
	}
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute(jobIDName, types.ScalarAttributeTypeS), attribute(userIDName, types.ScalarAttributeTypeS),
			attribute(statusName, types.ScalarAttributeTypeS), attribute(createdAtName, types.ScalarAttributeTypeN),
		},
		KeySchema:              []types.KeySchemaElement{{AttributeName: aws.String(jobIDName), KeyType: types.KeyTypeHash}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{index(IndexByUser, userIDName), index(IndexByStatus, statusName)},
		SSESpecification:       &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms},
		Tags:                   table.Tags(map[string]string{"Name": name}),
	}
}

func key(jobID string) table.Key { return table.Key{jobIDName: table.Text(jobID)} }
