package library

import (
	"cmp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
)

// Config names the tables.
type Config struct {
	Env       string `env:"ASSAY_ENV" envDefault:"dev" doc:"the environment, a part of table and bucket names; in prod no stack traces are stored"`
	Nodes     string `env:"LEANDA_NODES_TABLE" doc:"the DynamoDB table of the library's nodes; default: leanda-ng-<ASSAY_ENV>-nodes"`
	Files     string `env:"LEANDA_FILES_TABLE" doc:"the DynamoDB table of the library's files; default: leanda-ng-<ASSAY_ENV>-files"`
	Workflows string `env:"LEANDA_WORKFLOW_STATE_TABLE" doc:"the DynamoDB table of the library's workflow states; default: leanda-ng-<ASSAY_ENV>-workflow-state"`
}

// NodesTable returns the name of the table of nodes.
func (c Config) NodesTable() string { return cmp.Or(c.Nodes, c.name("nodes")) }

// FilesTable returns the name of the table of files.
func (c Config) FilesTable() string { return cmp.Or(c.Files, c.name("files")) }

// WorkflowsTable returns the name of the table of workflow states.
func (c Config) WorkflowsTable() string { return cmp.Or(c.Workflows, c.name("workflow-state")) }

func (c Config) name(kind string) string { return "leanda-ng-" + c.Env + "-" + kind }

// TimeLayout is the layout of stored times: UTC, milliseconds, fixed width, so that they sort as text.
const TimeLayout = "2006-01-02T15:04:05.000Z"

func stamp(at time.Time) string { return at.UTC().Format(TimeLayout) }

// The attributes used in keys, conditions and updates.
const (
	idName            = "id"
	typeName          = "type"
	typeOwnedByName   = "type#ownedBy"
	ownedByName       = "ownedBy"
	parentIDName      = "parentId"
	statusName        = "status"
	nodeName          = "name"
	errorMessageName  = "errorMessage"
	isDeletedName     = "isDeleted"
	versionName       = "version"
	createdName       = "createdDateTime"
	updatedName       = "updatedDateTime"
	updatedByName     = "updatedBy"
	runName           = "run"
	blobIDName        = "blobId"
	correlationIDName = "correlationId"
	workflowTypeName  = "workflowType"
	workflowCreatedAt = "createdAt"
	workflowUpdatedAt = "updatedAt"
	currentStateName  = "currentState"
)

// Tables returns the tables of the area.
func Tables(cfg Config) []table.Schema {
	nodes := schema(cfg.NodesTable(), idName, types.ProjectionTypeAll, nodesByParent, nodesByType)
	// NodeChanged events are derived from the change stream.
	nodes.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	return []table.Schema{
		{Create: nodes, Item: Node{}},
		{Create: schema(cfg.FilesTable(), idName, types.ProjectionTypeKeysOnly, filesByParent, filesByOwner, filesByBlob), Item: File{}},
		{Create: schema(cfg.WorkflowsTable(), correlationIDName, types.ProjectionTypeKeysOnly, workflowsByType), Item: Workflow{}},
	}
}

// index is a global secondary index; sort may be empty.
type index struct{ name, hash, sort string }

// The indexes of the tables.
var (
	nodesByParent   = index{"parentId-createdDateTime-index", parentIDName, createdName}
	nodesByType     = index{"type-ownedBy-createdDateTime-index", typeOwnedByName, createdName}
	filesByParent   = index{"parentId-createdDateTime-index", parentIDName, createdName}
	filesByOwner    = index{"ownedBy-createdDateTime-index", ownedByName, createdName}
	filesByBlob     = index{"blobId-index", blobIDName, ""}
	workflowsByType = index{"workflowType-createdAt-index", workflowTypeName, workflowCreatedAt}
)

// schema returns a table with one string key and indexes on string keys.
func schema(name, hash string, projection types.ProjectionType, indexes ...index) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest, KeySchema: keySchema(hash, ""),
		SSESpecification: &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms},
	}
	defined := map[string]bool{"": true}
	define := func(names ...string) {
		for _, name := range names {
			if !defined[name] {
				defined[name] = true
				in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
					AttributeName: &name, AttributeType: types.ScalarAttributeTypeS,
				})
			}
		}
	}
	define(hash)
	for _, i := range indexes {
		define(i.hash, i.sort)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &i.name, KeySchema: keySchema(i.hash, i.sort), Projection: &types.Projection{ProjectionType: projection},
		})
	}
	return in
}

func keySchema(hash, sort string) []types.KeySchemaElement {
	keys := []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}}
	if sort != "" {
		keys = append(keys, types.KeySchemaElement{AttributeName: &sort, KeyType: types.KeyTypeRange})
	}
	return keys
}

// key returns the key of a node and of its file.
func key(id string) table.Key { return table.Key{idName: table.Text(id)} }

// workflowKey returns the key of the workflow of a file, or of an operation.
func workflowKey(id string) table.Key { return table.Key{correlationIDName: table.Text(id)} }
