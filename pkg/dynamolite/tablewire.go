package dynamolite

import "github.com/assay-project/assay/pkg/dynamolite/attr"

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
	DeletionProtectionEnabled bool
	ItemCount                 int64
	TableSizeBytes            int64
}

type provisionedThroughputDescription struct {
	throughput
	NumberOfDecreasesToday int
}

type billingModeSummary struct{ BillingMode string }

// arnPrefix is the prefix of the ARNs of tables, with a fictitious region and
// account.
const arnPrefix = "arn:aws:dynamodb:us-east-1:000000000000:table/"

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
		CreationDateTime:          float64(t.CreatedAt.UnixMilli()) / 1000,
		AttributeDefinitions:      t.Attributes,
		KeySchema:                 t.Key.elements(),
		ProvisionedThroughput:     provisionedThroughputDescription{throughput: t.Throughput},
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
