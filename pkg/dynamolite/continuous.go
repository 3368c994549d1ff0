package dynamolite

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// The engine stores the settings of continuous backups, but retains no earlier versions of items: it cannot
// restore a table to a point in time.

const (
	mostRecoveryDays = 35
	// recoveryDelay is the age of the latest point in time that DynamoDB can restore.
	recoveryDelay = 5 * time.Minute
)

// recovery are the settings of a table's continuous backups while they are enabled.
type recovery struct {
	Since time.Time
	Days  int
}

type updateContinuousBackupsInput struct {
	TableName                        *string
	PointInTimeRecoverySpecification *struct {
		PointInTimeRecoveryEnabled *bool
		RecoveryPeriodInDays       *int
	}
}

type continuousBackupsDescription struct {
	ContinuousBackupsStatus        string
	PointInTimeRecoveryDescription pointInTimeRecoveryDescription
}

type pointInTimeRecoveryDescription struct {
	PointInTimeRecoveryStatus  string
	RecoveryPeriodInDays       int     `json:",omitempty"`
	EarliestRestorableDateTime float64 `json:",omitempty"`
	LatestRestorableDateTime   float64 `json:",omitempty"`
}

func (e *Engine) describeRecovery(r *recovery) any {
	d := continuousBackupsDescription{"ENABLED", pointInTimeRecoveryDescription{PointInTimeRecoveryStatus: "DISABLED"}}
	if r != nil {
		now := e.clock()
		earliest, latest := r.Since, now.Add(-recoveryDelay)
		if begin := now.AddDate(0, 0, -r.Days); begin.After(earliest) {
			earliest = begin
		}
		if latest.Before(earliest) {
			latest = earliest
		}
		d.PointInTimeRecoveryDescription = pointInTimeRecoveryDescription{"ENABLED", r.Days, seconds(earliest), seconds(latest)}
	}
	return struct{ ContinuousBackupsDescription continuousBackupsDescription }{d}
}

// backedUp returns the active table with this name for an operation of backups, or an exception that only these
// operations have.
func (e *Engine) backedUp(name string) (*table, error) {
	t, ok := (*e.catalog.Load())[name]
	switch {
	case !ok:
		return nil, tableMissing(name)
	case t.status() != "ACTIVE":
		return nil, &apiError{code: "ContinuousBackupsUnavailableException", message: "Backups are being enabled for the table: " + name + ". Please retry later"}
	}
	return t, nil
}

func (e *Engine) describeContinuousBackups(in *tableInput) (any, error) {
	var c constraints
	c.tableName(in.TableName)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, ok := (*e.catalog.Load())[*in.TableName]
	if !ok {
		return nil, tableMissing(*in.TableName)
	}
	return e.describeRecovery(t.Recovery), nil
}

func (e *Engine) updateContinuousBackups(in *updateContinuousBackupsInput) (any, error) {
	var c constraints
	c.tableName(in.TableName)
	spec := in.PointInTimeRecoverySpecification
	c.required("pointInTimeRecoverySpecification", spec != nil)
	days := 0
	if spec != nil {
		c.required("pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled", spec.PointInTimeRecoveryEnabled != nil)
		if spec.RecoveryPeriodInDays != nil {
			days = *spec.RecoveryPeriodInDays
			checkRange(&c, "pointInTimeRecoverySpecification.recoveryPeriodInDays", days, 1, mostRecoveryDays)
		}
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := e.backedUp(*in.TableName)
	if err != nil {
		return nil, err
	}
	changed := *t
	if changed.Recovery = nil; *spec.PointInTimeRecoveryEnabled {
		changed.Recovery = &recovery{e.clock(), cmp.Or(days, mostRecoveryDays)}
		if t.Recovery != nil {
			changed.Recovery = &recovery{t.Recovery.Since, cmp.Or(days, t.Recovery.Days)}
		}
	}
	if err := e.redefine(t, &changed); err != nil {
		return nil, err
	}
	return e.describeRecovery(changed.Recovery), nil
}

func checkRange(c *constraints, field string, value, least, most int) {
	switch {
	case value < least:
		c.add(fmt.Sprintf("'%d'", value), field, fmt.Sprintf("Member must have value greater than or equal to %d", least))
	case value > most:
		c.add(fmt.Sprintf("'%d'", value), field, fmt.Sprintf("Member must have value less than or equal to %d", most))
	}
}

type restoreToPointInTimeInput struct {
	SourceTableName, SourceTableArn string
	TargetTableName                 *string
}

// restoreTableToPointInTime checks the request like DynamoDB, and then rejects it.
func (e *Engine) restoreTableToPointInTime(in *restoreToPointInTimeInput) (any, error) {
	var c constraints
	c.name("targetTableName", in.TargetTableName, 3)
	if err := c.err(); err != nil {
		return nil, err
	}
	if err := e.checkRecovery(cmp.Or(in.SourceTableName, strings.TrimPrefix(in.SourceTableArn, arnPrefix))); err != nil {
		return nil, err
	}
	if _, exists := (*e.catalog.Load())[*in.TargetTableName]; exists {
		return nil, tableExists(*in.TargetTableName)
	}
	return nil, invalid("RestoreTableToPointInTime is not supported: the engine retains no earlier versions of items. Use CreateBackup and RestoreTableFromBackup.")
}

type exportInput struct{ TableArn, S3Bucket *string }

// exportTableToPointInTime checks the request like DynamoDB, and then rejects it.
func (e *Engine) exportTableToPointInTime(in *exportInput) (any, error) {
	var c constraints
	c.required("tableArn", in.TableArn != nil)
	c.required("s3Bucket", in.S3Bucket != nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	if !tableARN.MatchString(*in.TableArn) {
		return nil, invalid("Invalid TableArn: Invalid ResourceArn provided as input " + *in.TableArn)
	}
	if err := e.checkRecovery(strings.TrimPrefix(*in.TableArn, arnPrefix)); err != nil {
		return nil, err
	}
	return nil, invalid("ExportTableToPointInTime is not supported: the engine retains no earlier versions of items. Use Scan to read a table.")
}

// checkRecovery returns an error unless the table exists and has continuous backups.
func (e *Engine) checkRecovery(name string) error {
	t, err := e.backedUp(name)
	if err != nil {
		return err
	}
	if t.Recovery == nil {
		return &apiError{code: "PointInTimeRecoveryUnavailableException", message: "Point in time recovery is not enabled for table '" + name + "'"}
	}
	return nil
}
