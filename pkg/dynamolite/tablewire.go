package dynamolite

import (
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// The JSON shapes of the table operations.

type keySchemaElement struct{ AttributeName, KeyType string }

type projection struct {
	ProjectionType   string
	NonKeyAttributes []string `json:",omitempty"`
}

type indexSpecification struct {
	IndexName             *string
	KeySchema             []keySchemaElement
	Projection            *projection
	ProvisionedThroughput *throughput
	capacityLimits
}

type streamSpecification struct {
	StreamEnabled  bool
	StreamViewType string `json:",omitempty"`
}

type createTableInput struct {
	TableName                 *string
	AttributeDefinitions      []attributeDefinition
	KeySchema                 []keySchemaElement
	GlobalSecondaryIndexes    []indexSpecification
	LocalSecondaryIndexes     []indexSpecification
	BillingMode               string
	ProvisionedThroughput     *throughput
	StreamSpecification       *streamSpecification
	DeletionProtectionEnabled bool
	SSESpecification          *sseSpecification
	TableClass                string
	Tags                      []tag
	capacityLimits
}

type tableInput struct{ TableName *string }

type listTablesInput struct {
	ExclusiveStartTableName string
	Limit                   *int
}

type listTablesOutput struct {
	TableNames             []string
	LastEvaluatedTableName string `json:",omitempty"`
}

type indexDescription struct {
	IndexName             string
	KeySchema             []keySchemaElement
	Projection            projection
	IndexStatus           string      `json:",omitempty"`
	ProvisionedThroughput *throughput `json:",omitempty"`
	IndexArn              string
	IndexSizeBytes        int64
	ItemCount             int64
	capacityLimits
}

type tableDescription struct {
	TableName                 string
	TableId                   string
	TableArn                  string
	TableStatus               string
	CreationDateTime          float64
	AttributeDefinitions      []attributeDefinition
	KeySchema                 []keySchemaElement
	GlobalSecondaryIndexes    []indexDescription `json:",omitempty"`
	LocalSecondaryIndexes     []indexDescription `json:",omitempty"`
	ProvisionedThroughput     provisionedThroughputDescription
	BillingModeSummary        *billingModeSummary  `json:",omitempty"`
	StreamSpecification       *streamSpecification `json:",omitempty"`
	LatestStreamArn           string               `json:",omitempty"`
	LatestStreamLabel         string               `json:",omitempty"`
	SSEDescription            *sseDescription      `json:",omitempty"`
	TableClassSummary         *tableClassSummary   `json:",omitempty"`
	RestoreSummary            *restoreSummary      `json:",omitempty"`
	DeletionProtectionEnabled bool
	ItemCount                 int64
	TableSizeBytes            int64
	capacityLimits
}

type provisionedThroughputDescription struct {
	throughput
	NumberOfDecreasesToday int
}

type billingModeSummary struct{ BillingMode string }

// The region and the account in ARNs are fictitious.
const (
	region  = "us-east-1"
	account = "000000000000"
	// arnPrefix is the prefix of the ARNs of tables.
	arnPrefix = "arn:aws:dynamodb:" + region + ":" + account + ":table/"
)

// seconds returns a time as responses contain it: epoch seconds with milliseconds.
func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

func (k keySchema) elements() []keySchemaElement {
	out := []keySchemaElement{{k.Hash.Name, "HASH"}}
	if k.Range != nil {
		out = append(out, keySchemaElement{k.Range.Name, "RANGE"})
	}
	return out
}

func (t *table) describe(status string, size counts) tableDescription {
	d := tableDescription{
		TableName:                 t.Name,
		TableId:                   tableUUID(t.ID),
		TableArn:                  arnPrefix + t.Name,
		TableStatus:               status,
		CreationDateTime:          seconds(t.CreatedAt),
		AttributeDefinitions:      t.Attributes,
		KeySchema:                 t.Key.elements(),
		ProvisionedThroughput:     provisionedThroughputDescription{throughput: t.Throughput},
		SSEDescription:            t.Encryption,
		TableClassSummary:         t.Class.summary(),
		RestoreSummary:            t.Restored.summary(),
		capacityLimits:            t.capacityLimits,
		DeletionProtectionEnabled: t.Protected,
		ItemCount:                 size.items,
		TableSizeBytes:            size.bytes,
	}
	if t.Billing == payPerRequest {
		d.BillingModeSummary = &billingModeSummary{t.Billing}
	}
	for _, ix := range t.Indexes {
		id := indexDescription{
			IndexName:  ix.Name,
			KeySchema:  ix.Key.elements(),
			Projection: projection{ix.Projection, ix.Include},
			IndexArn:   arnPrefix + t.Name + "/index/" + ix.Name,

			capacityLimits: ix.capacityLimits,
		}
		if ix.Local {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, id)
			continue
		}
		id.IndexStatus = "ACTIVE"
		id.ProvisionedThroughput = &ix.Throughput
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, id)
	}
	if t.Stream != nil {
		d.LatestStreamArn, d.LatestStreamLabel = t.Stream.ARN, t.Stream.Label
		if t.Stream.open() {
			d.StreamSpecification = &streamSpecification{true, t.Stream.ViewType}
		}
	}
	return d
}

func kindOf(definitions []attributeDefinition, name string) (attr.Kind, bool) {
	for _, d := range definitions {
		if d.AttributeName == name {
			return attr.ParseKind(d.AttributeType)
		}
	}
	return attr.Invalid, false
}
