package linecount

import (
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/table"
)

// Area describes the area.
func Area(cfg Config) area.Area {
	return area.Area{
		Name: Name, Machine: Machine(), Work: Work(), Consumers: []string{Consumer},
		Objects: ObjectPrefix, Uploaded: func(key string) bool { return strings.HasPrefix(key, ObjectPrefix) },
		Events:  []event.Event{NewUploaded(&event.LineCountUploaded{Id: "{id}"})},
		Storage: area.Storage{Tables: []table.Schema{schema(cfg.Table)}, Access: access(cfg)},
	}
}

const (
	// WorkStream is the stream of LineCountUploaded events.
	WorkStream = "ASSAY_WORK_LINECOUNT"
	// Consumer is the name of the consumer of that stream.
	Consumer = "analyzer-linecount"
	// Uploaded begins the subjects of LineCountUploaded events, which end with the id of the item.
	Uploaded = "assay.linecount.uploaded."
)

// Work describes the stream of LineCountUploaded events.
func Work() bus.Work { return bus.Work{Stream: WorkStream, Subjects: Uploaded + ">"} }

// NewUploaded returns the event for d. It has another id after each retry.
func NewUploaded(d *event.LineCountUploaded) event.Event {
	at := d.PendingSince.AsTime()
	return event.Event{
		ID: fmt.Sprintf("linecount.uploaded/%s/%d", d.Id, at.UnixMilli()), Subject: Uploaded + d.Id,
		Item: d.Id, Owner: d.OwnerId, Tenant: d.OwnerId, Time: at, Data: d,
	}
}

// access returns the permissions of each program on the table and the objects.
func access(cfg Config) map[area.Program][]area.Statement {
	items, objects := area.Table(cfg.Table), area.Objects(ObjectPrefix)
	one := []string{"dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
	return map[area.Program][]area.Statement{
		area.Ingest: {
			area.Allow("LineCountsAccept", append([]string{"dynamodb:PutItem"}, one...), items),
			area.Allow("LineCountsBytes", []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}, objects),
		},
		area.Analyzer: {
			area.Allow("LineCountsMoveAndSweep", append([]string{"dynamodb:Scan"}, one...), items),
			area.Allow("LineCountsBytes", []string{"s3:GetObject", "s3:DeleteObject"}, objects),
		},
		area.Query: {
			area.Allow("LineCountsRead", []string{"dynamodb:DescribeTable", "dynamodb:GetItem"}, items),
			area.Allow("LineCountsList", []string{"dynamodb:Query"}, items+"/index/"+ByOwner),
		},
	}
}
