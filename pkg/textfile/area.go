package textfile

import (
	"fmt"
	"slices"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// Area describes the text file area.
func Area(cfg Config) area.Area {
	return area.Area{
		Name: Name, Machine: Machine(), Storage: area.Storage{Tables: Tables(cfg), Access: access(cfg)},
		Objects: ObjectPrefix, Work: Work(), Consumers: []string{Consumer}, Uploaded: uploaded,
		Events: []event.Event{NewUploaded(&event.FileUploaded{FileId: "{fileId}"})},
	}
}

const (
	// WorkStream is the stream of FileUploaded events.
	WorkStream = "ASSAY_WORK_TEXTFILE"
	// Consumer is the name of the consumer of that stream.
	Consumer = "analyzer-textfile"

	uploadedSubject = "assay.file.uploaded."
)

// Work describes the stream of FileUploaded events.
func Work() bus.Work { return bus.Work{Stream: WorkStream, Subjects: uploadedSubject + ">"} }

// UploadedSubject returns the subject of the FileUploaded events of one file.
func UploadedSubject(fileID string) string { return uploadedSubject + fileID }

// NewUploaded returns the event for d. Its id is file.uploaded/<fileId>/<etag>, followed by the time of
// the last retry, if any.
func NewUploaded(d *event.FileUploaded) event.Event {
	id := "file.uploaded/" + d.FileId + "/" + d.Etag
	at := d.UploadedAt.AsTime()
	if d.RetriedAt != nil {
		at = d.RetriedAt.AsTime()
		id = fmt.Sprintf("%s/%d", id, at.UnixMilli())
	}
	return event.Event{ID: id, Subject: UploadedSubject(d.FileId), Item: d.FileId, Owner: d.OwnerId, Tenant: d.OwnerId, Time: at, Data: d}
}

// uploaded returns false for objects that stream through ingest, which publishes the event itself before
// it responds. If ingest crashes in between, nothing was accepted, and a sweep finds the object.
func uploaded(key string) bool {
	_, reserved, err := ParseObjectKey(key)
	return err == nil && reserved >= 0
}

// access returns the permissions of each program on the table and the objects.
func access(cfg Config) map[area.Program][]area.Statement {
	table, objects := area.Table(cfg.Table), area.Objects(ObjectPrefix)
	moved := []string{partitionKey, sortKey, statusName, updatedAt, errorMessageName}
	reserved := []string{partitionKey, sortKey, fileIDName, ownerIDName, "s3Bucket", "s3Key", "originalFileName", statusName, "createdAt", updatedAt}
	return map[area.Program][]area.Statement{
		area.Ingest: {
			area.Allow("FilesReserve", []string{"dynamodb:PutItem"}, table).Attributes(reserved...).ReturningNothing(),
			area.Allow("FilesRetry", []string{"dynamodb:UpdateItem"}, table).Attributes(slices.Concat(moved, []string{charsetName})...).ReturningNothing(),
			area.Allow("FilesReadOneWithoutResult", []string{"dynamodb:GetItem"}, table).
				Attributes(slices.Concat(reserved, []string{errorMessageName, charsetName})...).Selecting(),
			area.Allow("FilesDelete", []string{"dynamodb:DescribeTable", "dynamodb:DeleteItem"}, table).
				Attributes(partitionKey, sortKey, fileIDName).ReturningNothing(),
			area.Allow("FilesBytes", []string{"s3:GetObject", "s3:PutObject", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload", "s3:DeleteObject"}, objects),
		},
		area.Analyzer: {
			area.Allow("FilesMove", []string{"dynamodb:UpdateItem"}, table).Attributes(slices.Concat(moved, []string{resultName})...),
			area.Allow("FilesListAgain", []string{"dynamodb:PutItem"}, table).LeadingKeys(ownerPrefix + "*"),
			area.Allow("FilesReadAndSweep", []string{
				"dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Scan",
				"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem",
			}, table),
			area.Allow("FilesBytes", []string{"s3:GetObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, objects),
		},
		area.Query: {
			area.Allow("FilesRead", []string{"dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Scan"}, table),
			area.Allow("FilesDownload", []string{"s3:GetObject"}, objects),
		},
	}
}
