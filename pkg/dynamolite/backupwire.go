package dynamolite

// The JSON shapes of the operations of backups.

type createBackupInput struct{ TableName, BackupName *string }

type backupInput struct{ BackupArn *string }

type listBackupsInput struct {
	TableName               *string
	Limit                   *int
	TimeRangeLowerBound     *float64 // epoch seconds
	TimeRangeUpperBound     *float64
	ExclusiveStartBackupArn string
	BackupType              string
}

type listBackupsOutput struct {
	BackupSummaries        []backupSummary
	LastEvaluatedBackupArn string `json:",omitempty"`
}

type backupSummary struct {
	TableName, TableId, TableArn string
	backupDetails
}

type backupDetails struct {
	BackupArn              string
	BackupName             string
	BackupStatus           string
	BackupType             string
	BackupCreationDateTime float64
	BackupSizeBytes        int64
}

type backupDescription struct {
	BackupDetails             backupDetails
	SourceTableDetails        sourceTableDetails
	SourceTableFeatureDetails sourceTableFeatureDetails
}

type sourceTableDetails struct {
	TableName, TableId, TableArn string
	TableCreationDateTime        float64
	TableSizeBytes, ItemCount    int64
	KeySchema                    []keySchemaElement
	BillingMode                  string
	ProvisionedThroughput        throughput
	OnDemandThroughput           *onDemandThroughput `json:",omitempty"`
}

type sourceTableFeatureDetails struct {
	GlobalSecondaryIndexes []indexInfo            `json:",omitempty"`
	LocalSecondaryIndexes  []indexInfo            `json:",omitempty"`
	StreamDescription      *streamSpecification   `json:",omitempty"`
	TimeToLiveDescription  *timeToLiveDescription `json:",omitempty"`
	SSEDescription         *sseDescription        `json:",omitempty"`
}

type indexInfo struct {
	IndexName             string
	KeySchema             []keySchemaElement
	Projection            projection
	ProvisionedThroughput *throughput `json:",omitempty"`
}

type restoreInput struct {
	BackupArn                     *string
	TargetTableName               *string
	BillingModeOverride           string
	ProvisionedThroughputOverride *throughput
	OnDemandThroughputOverride    *onDemandThroughput
	GlobalSecondaryIndexOverride  []indexSpecification
	LocalSecondaryIndexOverride   []indexSpecification
	SSESpecificationOverride      *sseSpecification
}

type restoreSummary struct {
	SourceBackupArn   string
	SourceTableArn    string
	RestoreDateTime   float64
	RestoreInProgress bool
}

func checkBackupARN(c *constraints, arn *string) {
	const shortest = 37
	c.required("backupArn", arn != nil)
	if arn != nil && len(*arn) < shortest {
		c.add("'"+*arn+"'", "backupArn", "Member must have length greater than or equal to 37")
	}
}

func (in *backupInput) check() error {
	var c constraints
	checkBackupARN(&c, in.BackupArn)
	return c.err()
}

// check checks the request and fills in the default of Limit.
func (in *listBackupsInput) check() error {
	var c constraints
	if in.TableName != nil {
		c.tableName(in.TableName)
	}
	if in.Limit == nil {
		limit := 100
		in.Limit = &limit
	}
	checkRange(&c, "limit", *in.Limit, 1, 100)
	c.enum("backupType", in.BackupType, "AWS_BACKUP", "SYSTEM", "USER", "ALL")
	return c.err()
}

// includes reports whether the request asks for the backup. The upper bound is exclusive.
func (in *listBackupsInput) includes(b *backup) bool {
	at := seconds(b.CreatedAt)
	return (in.TableName == nil || *in.TableName == b.Table.Name) &&
		(in.TimeRangeLowerBound == nil || at >= *in.TimeRangeLowerBound) &&
		(in.TimeRangeUpperBound == nil || at < *in.TimeRangeUpperBound) &&
		in.BackupType != "SYSTEM" && in.BackupType != "AWS_BACKUP"
}

func (b *backup) details() backupDetails {
	return backupDetails{b.ARN, b.Name, b.Status, "USER", seconds(b.CreatedAt), b.Bytes}
}

func (b *backup) summary() backupSummary {
	return backupSummary{b.Table.Name, tableUUID(b.Table.ID), arnPrefix + b.Table.Name, b.details()}
}

func (b *backup) describe() backupDescription {
	t := b.Table
	d := backupDescription{
		BackupDetails: b.details(),
		SourceTableDetails: sourceTableDetails{
			TableName: t.Name, TableId: tableUUID(t.ID), TableArn: arnPrefix + t.Name, TableCreationDateTime: seconds(t.CreatedAt),
			TableSizeBytes: b.Bytes, ItemCount: b.Items, KeySchema: t.Key.elements(), BillingMode: t.Billing,
			ProvisionedThroughput: t.Throughput, OnDemandThroughput: t.OnDemandThroughput,
		},
		SourceTableFeatureDetails: sourceTableFeatureDetails{SSEDescription: t.Encryption},
	}
	features := &d.SourceTableFeatureDetails
	for _, ix := range t.Indexes {
		info := indexInfo{IndexName: ix.Name, KeySchema: ix.Key.elements(), Projection: projection{ix.Projection, ix.Include}}
		if ix.Local {
			features.LocalSecondaryIndexes = append(features.LocalSecondaryIndexes, info)
			continue
		}
		info.ProvisionedThroughput = &ix.Throughput
		features.GlobalSecondaryIndexes = append(features.GlobalSecondaryIndexes, info)
	}
	if t.Stream != nil && t.Stream.open() {
		features.StreamDescription = &streamSpecification{true, t.Stream.ViewType}
	}
	if t.TTL != "" {
		features.TimeToLiveDescription = &timeToLiveDescription{"ENABLED", t.TTL}
	}
	return d
}

func (r *restored) summary() *restoreSummary {
	if r == nil {
		return nil
	}
	return &restoreSummary{r.Backup, r.Table, seconds(r.At), r.InProgress}
}
