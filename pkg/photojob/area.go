package photojob

import (
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// Area describes the photo job area.
func Area(cfg Config) area.Area {
	return area.Area{
		Name: Name, Machine: Machine(), Work: Work(), Consumers: consumers(), Uploaded: uploaded,
		Events:  []event.Event{NewUploaded(&event.PhotoUploaded{Route: "{route}", JobId: "{jobId}"})},
		Storage: area.Storage{Tables: Tables(cfg), Buckets: []string{cfg.TempBucket(), cfg.FinalBucket()}, Access: access(cfg)},
	}
}

const (
	// WorkStream is the stream of PhotoUploaded events.
	WorkStream = "ASSAY_WORK_PHOTOJOB"

	uploadedSubject = "assay.photojob.uploaded."
)

// Work describes the stream of PhotoUploaded events.
func Work() bus.Work { return bus.Work{Stream: WorkStream, Subjects: uploadedSubject + ">"} }

// UploadedSubject returns the subject of the PhotoUploaded events of one job. In a filter,
// route and jobID may be "*".
func UploadedSubject(route, jobID string) string { return uploadedSubject + route + "." + jobID }

// NewUploaded returns the event for d. Its id is photojob.uploaded/<jobId>/<created>/<etag>, followed by the time of the
// last retry, if any. Times are epoch milliseconds. A job that replaces a deleted one with the same id, which comes from an
// idempotency key, has another creation time.
func NewUploaded(d *event.PhotoUploaded) event.Event {
	id := fmt.Sprintf("photojob.uploaded/%s/%d/%s", d.JobId, d.CreatedAt.AsTime().UnixMilli(), d.Etag)
	at := d.UploadedAt.AsTime()
	if d.RetriedAt != nil {
		at = d.RetriedAt.AsTime()
		id = fmt.Sprintf("%s/%d", id, at.UnixMilli())
	}
	return event.Event{ID: id, Subject: UploadedSubject(d.Route, d.JobId), Item: d.JobId, Owner: d.OwnerId, Tenant: d.OwnerId, Time: at, Data: d}
}

// Consumer returns the name of the consumer of a provider's work.
func Consumer(provider string) string { return "analyzer-photojob-" + provider }

func consumers() []string {
	all := Providers()
	for i, name := range all {
		all[i] = Consumer(name)
	}
	return all
}

func uploaded(key string) bool { return strings.HasPrefix(key, UploadPrefix) }

// access returns the permissions of each program on the table and the objects.
func access(cfg Config) map[area.Program][]area.Statement {
	jobs := area.Table(cfg.TableName())
	uploads, work := area.ObjectsIn(cfg.TempBucket(), UploadPrefix), area.ObjectsIn(cfg.TempBucket(), WorkPrefix)
	edited := area.ObjectsIn(cfg.FinalBucket(), FinalPrefix)
	temp, final := area.BucketOf(cfg.TempBucket()), area.BucketOf(cfg.FinalBucket())
	list := []string{"s3:ListBucket"}
	read := []string{"dynamodb:GetItem", "dynamodb:BatchGetItem"}
	return map[area.Program][]area.Statement{
		area.Ingest: {
			area.Allow("PhotosAccept", []string{"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:DescribeTable"}, jobs),
			area.Allow("PhotosRead", read, jobs),
			area.Allow("PhotosRetryAndCancel", []string{"dynamodb:UpdateItem"}, jobs).Attributes(
				jobIDName, statusName, updatedAtName, "error", callsName, "prompt", "options", "provider", "analysisResult",
				"processingStartedAt", "processingCompletedAt").ReturningNothing(),
			area.Allow("PhotosUpload", []string{"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, uploads),
			area.Allow("PhotosRemove", []string{"s3:DeleteObject"}, work, edited),
			area.Allow("PhotosSend", []string{"s3:GetObject"}, edited),
			area.Allow("PhotosBuckets", list, temp, final),
		},
		area.Analyzer: {
			area.Allow("PhotosMove", []string{"dynamodb:UpdateItem"}, jobs).Attributes(
				jobIDName, statusName, updatedAtName, "error", callsName, "analysisResult", "editResult", "provider", "degraded", "s3FinalKey",
				"processingStartedAt", "processingCompletedAt").ReturningNothing(),
			area.Allow("PhotosReadAndSweep", append([]string{"dynamodb:DescribeTable", "dynamodb:Scan"}, read...), jobs),
			area.Allow("PhotosFetch", []string{"s3:GetObject", "s3:DeleteObject"}, uploads),
			area.Allow("PhotosAnswers", []string{"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, work),
			area.Allow("PhotosStore", []string{"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, edited),
			area.Allow("PhotosBuckets", list, temp, final),
		},
		area.Query: {
			area.Allow("PhotosRead", append([]string{"dynamodb:DescribeTable", "dynamodb:Scan"}, read...), jobs),
			area.Allow("PhotosList", []string{"dynamodb:Query"}, jobs+"/index/"+IndexByUser, jobs+"/index/"+IndexByStatus),
			area.Allow("PhotosDownload", []string{"s3:GetObject"}, uploads, edited),
			area.Allow("PhotosBuckets", list, temp, final),
		},
	}
}
