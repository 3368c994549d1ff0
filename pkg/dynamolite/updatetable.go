package dynamolite

import (
	"fmt"
	"slices"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

type indexUpdate struct {
	Create *indexSpecification
	Update *struct {
		IndexName             string
		ProvisionedThroughput *throughput
		capacityLimits
	}
	Delete *struct{ IndexName string }
}

type updateTableInput struct {
	TableName                   *string
	AttributeDefinitions        []attributeDefinition
	BillingMode                 string
	ProvisionedThroughput       *throughput
	GlobalSecondaryIndexUpdates []indexUpdate
	StreamSpecification         *streamSpecification
	DeletionProtectionEnabled   *bool
	SSESpecification            *sseSpecification
	TableClass                  string
	ReplicaUpdates              []struct{}
	capacityLimits
}

func (in *updateTableInput) check() error {
	var c constraints
	c.tableName(in.TableName)
	checkAttributeDefinitions(&c, in.AttributeDefinitions)
	c.enum("billingMode", in.BillingMode, provisioned, payPerRequest)
	checkThroughput(&c, "provisionedThroughput", in.ProvisionedThroughput)
	in.SSESpecification.check(&c, "sSESpecification")
	checkClass(&c, in.TableClass)
	for i, u := range in.GlobalSecondaryIndexUpdates {
		if u.Create != nil {
			checkIndexElements(&c, fmt.Sprintf("globalSecondaryIndexUpdates.%d.member.create", i+1), []indexSpecification{*u.Create})
		}
	}
	if err := c.err(); err != nil {
		return err
	}
	if in.ReplicaUpdates != nil {
		return invalid("ReplicaUpdates is not supported: the engine has one region")
	}
	if in.BillingMode == "" && in.ProvisionedThroughput == nil && in.GlobalSecondaryIndexUpdates == nil && in.StreamSpecification == nil &&
		in.DeletionProtectionEnabled == nil && in.SSESpecification == nil && in.TableClass == "" && in.capacityLimits == (capacityLimits{}) {
		return invalid("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
	}
	if in.StreamSpecification != nil {
		return in.StreamSpecification.check()
	}
	return nil
}

// updateTable changes the definition in one write. A new index is built in the same
// write, so that it is active immediately; other writes wait.
func (e *Engine) updateTable(in *updateTableInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	t, err := e.settled(&tableInput{in.TableName})
	if err != nil {
		return nil, err
	}
	changed := *t
	changed.Indexes = slices.Clone(t.Indexes)
	if err := changed.updateBilling(in); err != nil {
		return nil, err
	}
	if in.DeletionProtectionEnabled != nil {
		changed.Protected = *in.DeletionProtectionEnabled
	}
	if in.SSESpecification != nil {
		if changed.Encryption, err = in.SSESpecification.description(); err != nil {
			return nil, err
		}
	}
	changed.update(in.capacityLimits)
	created, deleted, err := changed.updateIndexes(in)
	if err != nil {
		return nil, err
	}
	if spec := in.StreamSpecification; spec != nil && spec.StreamEnabled == (t.Stream != nil && t.Stream.open()) {
		if spec.StreamEnabled {
			return nil, invalid("Table already has an enabled stream with StreamArn: " + t.Stream.ARN)
		}
		return nil, invalid("Table is already without a stream")
	}
	err = e.write(func(w *writeTx) error {
		if err := w.current(t); err != nil {
			return err
		}
		if err := w.updateIndexes(&changed, created, deleted); err != nil {
			return err
		}
		if err := w.updateStream(&changed, in.StreamSpecification); err != nil {
			return err
		}
		if in.TableClass != "" {
			changed.Class = classOf(in.TableClass, w.now)
		}
		return w.define(&changed)
	})
	if err != nil {
		return nil, err
	}
	d, err := e.describe(&changed, "UPDATING")
	return tableOutput{TableDescription: d}, err
}

func (t *table) updateBilling(in *updateTableInput) error {
	if in.BillingMode != "" && (in.BillingMode != t.Billing || in.ProvisionedThroughput != nil) {
		if err := checkBilling(in.BillingMode, in.ProvisionedThroughput); err != nil {
			return err
		}
	}
	if in.BillingMode != "" {
		t.Billing = in.BillingMode
	}
	if t.Billing == payPerRequest {
		if in.ProvisionedThroughput != nil {
			return checkBilling(payPerRequest, in.ProvisionedThroughput)
		}
		t.Throughput = throughput{}
		return nil
	}
	if in.ProvisionedThroughput == nil {
		return nil
	}
	was, wanted := t.Throughput, *in.ProvisionedThroughput
	if was == wanted && in.GlobalSecondaryIndexUpdates == nil {
		return invalid(fmt.Sprintf("The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: %d. Requested ReadCapacityUnits: %d. Current WriteCapacityUnits provisioned for the table: %d. Requested WriteCapacityUnits: %d. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
			was.ReadCapacityUnits, wanted.ReadCapacityUnits, was.WriteCapacityUnits, wanted.WriteCapacityUnits))
	}
	t.Throughput = wanted
	return nil
}

// updateIndexes changes the list of indexes and the attribute definitions, and
// returns the indexes that are created and deleted.
func (t *table) updateIndexes(in *updateTableInput) (created, deleted []*index, err error) {
	for _, d := range in.AttributeDefinitions {
		if kind, ok := kindOf(t.Attributes, d.AttributeName); ok && kind.String() != d.AttributeType {
			return nil, nil, invalidParameters("Attribute " + d.AttributeName + " is already defined with another type")
		} else if !ok {
			t.Attributes = append(slices.Clip(t.Attributes), d)
		}
	}
	for _, u := range in.GlobalSecondaryIndexUpdates {
		switch {
		case u.Create != nil:
			if t.index(*u.Create.IndexName) != nil {
				return nil, nil, invalid("Attempting to create an index which already exists")
			}
			ix, err := indexOf(*u.Create, t.Attributes, false)
			if err != nil {
				return nil, nil, err
			}
			t.Indexes = append(t.Indexes, ix)
			created = append(created, ix)
		case u.Delete != nil:
			ix := t.index(u.Delete.IndexName)
			if ix == nil || ix.Local {
				return nil, nil, errNotFound
			}
			t.Indexes = slices.DeleteFunc(t.Indexes, func(other *index) bool { return other == ix })
			deleted = append(deleted, ix)
		case u.Update != nil:
			i := slices.IndexFunc(t.Indexes, func(ix *index) bool { return ix.Name == u.Update.IndexName && !ix.Local })
			if i < 0 {
				return nil, nil, errNotFound
			}
			ix := *t.Indexes[i]
			if u.Update.ProvisionedThroughput != nil {
				ix.Throughput = *u.Update.ProvisionedThroughput
			}
			ix.update(u.Update.capacityLimits)
			t.Indexes[i] = &ix
		default:
			return nil, nil, invalidParameters("One of Create, Update or Delete is required for each index update")
		}
	}
	t.dropUnusedAttributes()
	return created, deleted, t.check()
}

// dropUnusedAttributes removes the definitions of attributes that belong to no key.
func (t *table) dropUnusedAttributes() {
	t.Attributes = slices.DeleteFunc(slices.Clone(t.Attributes), func(d attributeDefinition) bool {
		return !t.Key.has(d.AttributeName) && !slices.ContainsFunc(t.Indexes, func(ix *index) bool { return ix.Key.has(d.AttributeName) })
	})
}

func (w *writeTx) updateIndexes(t *table, created, deleted []*index) error {
	w.restructure()
	for _, ix := range deleted {
		if err := deleteBucket(w.tx, bucketName('x', ix.ID)); err != nil {
			return err
		}
	}
	for _, ix := range created {
		if err := w.createIndex(ix); err != nil {
			return err
		}
		entries := bucketName('x', ix.ID)
		err := bucketOf(w.tx, bucketName('i', t.ID)).ForEach(func(key, stored []byte) error {
			value, err := unseal(key, stored)
			if err != nil {
				return err
			}
			item, err := attr.DecodeItem(value)
			if err != nil {
				return err
			}
			if ix.check(item) != nil {
				return nil // DynamoDB leaves such items out of a new index
			}
			return w.move(entries, nil, ix.entry(item, key), key)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writeTx) updateStream(t *table, spec *streamSpecification) (err error) {
	switch {
	case spec == nil:
	case spec.StreamEnabled:
		err = w.openStream(t, spec.StreamViewType)
	default:
		t.Stream, err = w.closeStream(t.Stream)
	}
	return err
}
