package dynamolite

import (
	"reflect"
	"slices"
	"time"
)

// restored describes the backup that a table was created from.
type restored struct {
	Backup, Table string // ARNs of the backup and of its table
	At            time.Time
	InProgress    bool // the table has the status CREATING, and its items are being copied
}

func tableExists(name string) error {
	return &apiError{code: "TableAlreadyExistsException", message: "Table already exists: " + name}
}

func (in *restoreInput) check() error {
	var c constraints
	c.name("targetTableName", in.TargetTableName, 3)
	checkBackupARN(&c, in.BackupArn)
	c.enum("billingModeOverride", in.BillingModeOverride, provisioned, payPerRequest)
	checkThroughput(&c, "provisionedThroughputOverride", in.ProvisionedThroughputOverride)
	checkIndexElements(&c, "globalSecondaryIndexOverride", in.GlobalSecondaryIndexOverride)
	checkIndexElements(&c, "localSecondaryIndexOverride", in.LocalSecondaryIndexOverride)
	in.SSESpecificationOverride.check(&c, "sSESpecificationOverride")
	return c.err()
}

// restoreTableFromBackup creates a table with the items and the indexes of a backup. As in AWS, it has no stream, no
// time to live, no tags, no continuous backups and no deletion protection. copyAll adds the items.
func (e *Engine) restoreTableFromBackup(in *restoreInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	b, err := e.backup(*in.BackupArn)
	if err != nil {
		return nil, err
	}
	t, err := in.table(b)
	if err != nil {
		return nil, err
	}
	err = e.write(func(w *writeTx) error {
		now, err := backupOf(w.tx, b.ARN)
		if err != nil {
			return err
		}
		if now.Status != backupAvailable {
			return backupInUse("the backup is being created")
		}
		if _, exists := w.tables[t.Name]; exists {
			return tableExists(t.Name)
		}
		t.CreatedAt = w.now
		if err := w.createBuckets(t); err != nil {
			return err
		}
		return w.define(t)
	})
	if err != nil {
		return nil, err
	}
	e.begun()
	d := t.describe(t.status(), counts{})
	return tableOutput{TableDescription: &d}, nil
}

// table returns the definition of the table to create from the backup.
func (in *restoreInput) table(b *backup) (t *table, err error) {
	t = &table{
		Name: *in.TargetTableName, Attributes: b.Table.Attributes, Key: b.Table.Key, Billing: b.Table.Billing, Throughput: b.Table.Throughput,
		Class: b.Table.Class, Encryption: b.Table.Encryption, capacityLimits: b.Table.capacityLimits,
		Restored: &restored{Backup: b.ARN, Table: arnPrefix + b.Table.Name, At: b.CreatedAt, InProgress: true},
	}
	for _, ix := range b.Table.Indexes {
		override := in.GlobalSecondaryIndexOverride
		if ix.Local {
			override = in.LocalSecondaryIndexOverride
		}
		kept := *ix
		if override == nil {
			t.Indexes = append(t.Indexes, &kept)
			continue
		}
		i := slices.IndexFunc(override, func(spec indexSpecification) bool { return *spec.IndexName == ix.Name })
		if i < 0 {
			continue
		}
		wanted, err := indexOf(override[i], t.Attributes, ix.Local)
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(wanted.Key, ix.Key) || wanted.Projection != ix.Projection || !slices.Equal(wanted.Include, ix.Include) {
			return nil, invalidParameters("The index differs from that of the backup: " + ix.Name)
		}
		kept.Throughput = wanted.Throughput
		t.Indexes = append(t.Indexes, &kept)
	}
	for _, spec := range slices.Concat(in.GlobalSecondaryIndexOverride, in.LocalSecondaryIndexOverride) {
		if t.index(*spec.IndexName) == nil {
			return nil, invalidParameters("The backup has no index with this name: " + *spec.IndexName)
		}
	}
	t.dropUnusedAttributes()
	return t, in.settings(t)
}

// settings applies the overrides other than indexes.
func (in *restoreInput) settings(t *table) (err error) {
	if in.BillingModeOverride != "" {
		if in.BillingModeOverride != t.Billing {
			if err := checkBilling(in.BillingModeOverride, in.ProvisionedThroughputOverride); err != nil {
				return err
			}
		}
		if t.Billing = in.BillingModeOverride; t.Billing == payPerRequest {
			t.Throughput = throughput{}
		}
	}
	if in.ProvisionedThroughputOverride != nil {
		if t.Billing == payPerRequest {
			return checkBilling(payPerRequest, in.ProvisionedThroughputOverride)
		}
		t.Throughput = *in.ProvisionedThroughputOverride
	}
	t.update(capacityLimits{OnDemandThroughput: in.OnDemandThroughputOverride})
	if in.SSESpecificationOverride != nil {
		t.Encryption, err = in.SSESpecificationOverride.description()
	}
	return err
}
