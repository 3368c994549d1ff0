package photojob

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Config names the table and the buckets.
type Config struct {
	Env   string `env:"ASSAY_ENV" envDefault:"dev" doc:"the environment, a part of table and bucket names; in prod no stack traces are stored"`
	Table string `env:"ASSAY_PHOTOJOB_TABLE" doc:"the DynamoDB table of photo jobs; default: photoeditor-<ASSAY_ENV>-jobs"`
	Temp  string `env:"ASSAY_PHOTOJOB_TEMP_BUCKET" doc:"the bucket of uploaded photos; default: photoeditor-<ASSAY_ENV>-temp"`
	Final string `env:"ASSAY_PHOTOJOB_FINAL_BUCKET" doc:"the bucket of edited photos; default: photoeditor-<ASSAY_ENV>-final"`
}

// TableName returns the name of the table.
func (c Config) TableName() string { return c.name(c.Table, "jobs") }

// TempBucket returns the name of the bucket of uploads and intermediate results.
func (c Config) TempBucket() string { return c.name(c.Temp, "temp") }

// FinalBucket returns the name of the bucket of edited photos.
func (c Config) FinalBucket() string { return c.name(c.Final, "final") }

func (c Config) name(given, what string) string {
	if given != "" {
		return given
	}
	return "photoeditor-" + c.Env + "-" + what
}

// Store reads and writes jobs. It is safe for concurrent use. Every method that takes a
// Job makes its write conditional on the UpdatedAt of that Job.
type Store struct {
	db    *dynamodb.Client
	table string
	now   func() time.Time
}

// NewStore returns a store on the table of cfg.
func NewStore(db *dynamodb.Client, cfg Config) *Store {
	return &Store{db: db, table: cfg.TableName(), now: time.Now}
}

// Check returns an error if the table cannot be used. It is called by readiness checks.
func (s *Store) Check(ctx context.Context) error { return table.Check(ctx, s.db, s.table) }

// Create writes a new job in state QUEUED and sets its times. It returns lifecycle.ErrExists if the id is
// already used.
func (s *Store) Create(ctx context.Context, j Job) (Job, error) {
	j = s.created(j)
	item, err := j.attributes()
	if err != nil {
		return Job{}, err
	}
	_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(jobId)"),
	})
	if _, exists := errors.AsType[*types.ConditionalCheckFailedException](err); exists {
		err = lifecycle.ErrExists
	}
	if err != nil {
		return Job{}, fmt.Errorf("create %s: %w", j.JobID, err)
	}
	return j, nil
}

func (s *Store) created(j Job) Job {
	now := s.now()
	j.Status, j.CreatedAt, j.UpdatedAt = Queued, now.UnixMilli(), now.UnixMilli()
	j.TTL = now.Add(Lifetime).Unix()
	j.S3TempKey += createdSuffix(j.CreatedAt)
	return j
}

// Get reads a job with a strongly consistent read. It returns lifecycle.ErrNotFound if there is none or
// its time to live has passed.
func (s *Store) Get(ctx context.Context, jobID string) (Job, error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: key(jobID), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return Job{}, fmt.Errorf("get %s: %w", jobID, err)
	}
	if out.Item == nil {
		return Job{}, lifecycle.ErrNotFound
	}
	j, err := parse(out.Item)
	if err == nil && j.Expired(s.now()) {
		return Job{}, lifecycle.ErrNotFound
	}
	return j, err
}

// Delete removes a job in any state and returns it, or lifecycle.ErrNotFound. Concurrent moves then
// return lifecycle.ErrNotFound.
func (s *Store) Delete(ctx context.Context, jobID string) (Job, error) {
	out, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: key(jobID), ReturnValues: types.ReturnValueAllOld})
	if err != nil {
		return Job{}, fmt.Errorf("delete %s: %w", jobID, err)
	}
	if len(out.Attributes) == 0 {
		return Job{}, lifecycle.ErrNotFound
	}
	return parse(out.Attributes)
}

// attributes returns the attributes of the item, without empty maps.
func (j Job) attributes() (map[string]table.Value, error) {
	if j.AnalysisResult != nil && j.AnalysisResult.Labels == nil {
		j.AnalysisResult.Labels = []Label{} // stored as a list instead of NULL
	}
	item, err := attributevalue.MarshalMap(j)
	if err != nil {
		return nil, fmt.Errorf("marshal the job %s: %w", j.JobID, err)
	}
	for name, value := range item {
		if m, ok := value.(*types.AttributeValueMemberM); ok && len(m.Value) == 0 {
			delete(item, name)
		}
	}
	return item, nil
}

func parse(item map[string]table.Value) (Job, error) {
	var j Job
	if err := attributevalue.UnmarshalMap(item, &j); err != nil {
		return Job{}, fmt.Errorf("parse the job %s: %w", table.TextOf(item[jobIDName]), err)
	}
	return j, nil
}
