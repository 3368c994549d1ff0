package textfile

import (
	"slices"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/event"
)

// Area describes the area of text files.
func Area(cfg Config) area.Area {
	return area.Area{
		Name: event.AreaTextFile, Machine: Machine(), Tables: Tables(cfg),
		Objects: ObjectPrefix, Subjects: []string{event.FileSubjects}, Access: access(cfg),
	}
}

// access is what each program may do with the table and the objects.
func access(cfg Config) map[area.Program][]area.Statement {
	table, objects := area.Table(cfg.Table), area.Objects(ObjectPrefix)
	moved := []string{partitionKey, sortKey, statusName, updatedAt, errorMessageName}
	reserved := []string{partitionKey, sortKey, fileIDName, ownerIDName, "s3Bucket", "s3Key", "originalFileName", statusName, "createdAt", updatedAt}
	return map[area.Program][]area.Statement{
		area.Ingest: {
			area.Allow("FilesReserve", []string{"dynamodb:PutItem"}, table).Attributes(reserved...).ReturningNothing(),
			area.Allow("FilesRetry", []string{"dynamodb:UpdateItem"}, table).Attributes(moved...).ReturningNothing(),
			area.Allow("FilesReadOneWithoutResult", []string{"dynamodb:GetItem"}, table).
				Attributes(slices.Concat(reserved, []string{errorMessageName})...).Selecting(),
			area.Allow("FilesDelete", []string{"dynamodb:DescribeTable", "dynamodb:DeleteItem"}, table).
				Attributes(partitionKey, sortKey, fileIDName).ReturningNothing(),
			area.Allow("FilesBytes", []string{"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, objects),
		},
		area.Analyzer: {
			area.Allow("FilesMove", []string{"dynamodb:UpdateItem"}, table).Attributes(slices.Concat(moved, []string{resultName})...),
			area.Allow("FilesListAgain", []string{"dynamodb:PutItem"}, table).LeadingKeys(ownerPrefix + "*"),
			area.Allow("FilesReadAndSweep", []string{
				"dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Scan",
				"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem",
			}, table),
			area.Allow("FilesBytes", []string{"s3:GetObject", "s3:DeleteObject"}, objects),
		},
		area.Query: {
			area.Allow("FilesRead", []string{"dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:Query"}, table),
			area.Allow("FilesDownload", []string{"s3:GetObject"}, objects),
		},
	}
}
