package feed

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// Area describes the feed area.
func Area(cfg Config) area.Area {
	return area.Area{
		Name: Name, Machine: Machine(), Storage: area.Storage{Tables: Tables(cfg), Access: access(cfg)},
		Objects: ObjectPrefix, Work: Work(), Consumers: []string{Consumer},
		Events:       []event.Event{NewAccepted(&event.FeedItemAccepted{SourceId: "{sourceId}"}), NewAlert(&event.FeedAlert{Name: "{name}", Since: &timestamppb.Timestamp{}}, "")},
		QuerySignals: AlertSubjects,
	}
}

const (
	// WorkStream is the stream of FeedItemAccepted events.
	WorkStream = "ASSAY_WORK_FEED"
	// Consumer is the name of the consumer of that stream.
	Consumer = "analyzer-feed"

	acceptedSubject = "assay.feed.accepted."
	alertSubject    = "assay.feed.alert."
	// AlertSubjects matches the FeedAlert events of all alerts.
	AlertSubjects = alertSubject + ">"
)

// Work describes the stream of FeedItemAccepted events.
func Work() bus.Work { return bus.Work{Stream: WorkStream, Subjects: acceptedSubject + ">"} }

// AcceptedSubject returns the subject of the FeedItemAccepted events of one item. A source id contains no
// character that is invalid in a subject.
func AcceptedSubject(sourceID string) string { return acceptedSubject + sourceID }

// NewAccepted returns the event for d. Its id is feed.accepted/<sourceId>.
func NewAccepted(d *event.FeedItemAccepted) event.Event {
	return event.Event{
		ID: "feed.accepted/" + d.SourceId, Subject: AcceptedSubject(d.SourceId),
		Item: d.SourceId, Tenant: d.SourceType, Time: d.IngestedAt.AsTime(), Data: d,
	}
}

// NewAlert returns the event for d with the given id (see alert.State.EventID).
func NewAlert(d *event.FeedAlert, id string) event.Event {
	return event.Event{ID: id, Subject: alertSubject + d.Name, Item: d.Name, Time: d.Since.AsTime(), Data: d}
}

// Accepted returns the event for an item that waits for analysis, with its text in the given bucket.
// The event id is that of NewAccepted, followed by what distinguishes it from earlier events of the source id, which the
// stream could still drop as duplicates: the writer of the row, because an item may be deleted and created
// again, and the time when the item was given up or analyzed before, if it was. It returns an error if a time of the item is not
// in TimeLayout.
func (i Item) Accepted(bucket string) (event.Event, error) {
	at, err := i.Ingested()
	failed, failedErr := i.Failed()
	analyzed, analyzedErr := i.Analyzed()
	if err := errors.Join(err, failedErr, analyzedErr); err != nil {
		return event.Event{}, fmt.Errorf("parse the times of %s: %w", i.SourceID, err)
	}
	accepted := NewAccepted(&event.FeedItemAccepted{
		SourceId: i.SourceID, IngestedAt: timestamppb.New(at), SourceType: i.SourceType, Bucket: bucket, Key: TextKey(i.SourceID),
	})
	if i.Writer != "" { // other programs may write rows without one
		accepted.ID += "/" + i.Writer
	}
	accepted.Tenant = i.Tenant()
	switch {
	case i.GivenUp():
		accepted.ID = fmt.Sprintf("%s/%d", accepted.ID, failed.UnixMilli())
	case i.Scored():
		accepted.ID = fmt.Sprintf("%s/again/%d", accepted.ID, analyzed.UnixMilli())
	}
	return accepted, nil
}

// Tenant returns the unit of fairness of an item: the items of one sender and source type. An item from before senders
// were stored has only the source type.
func (i Item) Tenant() string { return tenant(i.Sender, i.SourceType) }

// Tenant is like Item.Tenant.
func (s Submission) Tenant() string { return tenant(s.Sender, s.SourceType) }

func tenant(sender, sourceType string) string {
	if sender == "" {
		return sourceType
	}
	return sender + " " + sourceType
}

// access returns the permissions of each program on the tables and the objects.
func access(cfg Config) map[area.Program][]area.Statement {
	primary, dashboard, texts := area.Table(cfg.Primary), area.Table(cfg.Dashboard), area.Objects(ObjectPrefix)
	rows := []string{"dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
	return map[area.Program][]area.Statement{
		area.Ingest: {
			area.Allow("FeedAccept", []string{"dynamodb:DescribeTable", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:DeleteItem"}, primary),
			area.Allow("FeedTagAndRetry", []string{"dynamodb:UpdateItem"}, primary).Attributes(
				AttrSourceID, AttrIngestedAt, AttrStatus, AttrMatchedTags, "source_url", AttrTextSnippet, "metadata", attrAnalyzedAt, AttrFailedAt, AttrErrorMessage, attrWriter),
			area.Allow("FeedReanalyze", []string{"dynamodb:Scan"}, primary),
			area.Allow("FeedTexts", []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}, texts),
		},
		area.Analyzer: {
			area.Allow("FeedMove", []string{"dynamodb:UpdateItem"}, primary).Attributes(
				AttrSourceID, AttrIngestedAt, AttrStatus, "source_url", AttrTextSnippet, "metadata", attrSimilarTo, "sentiment", "score", "compound", "model_version",
				attrAnalyzedAt, AttrFailedAt, AttrErrorMessage, AttrMatchedTags, attrWriter),
			area.Allow("FeedReadAndSweep", []string{"dynamodb:DescribeTable", "dynamodb:Query", "dynamodb:Scan", "dynamodb:DeleteItem"}, primary),
			area.Allow("FeedTexts", []string{"s3:GetObject", "s3:DeleteObject"}, texts),
			area.Allow("FeedTextRestore", []string{"s3:PutObject"}, texts), // lets a sweep restore a text that was removed too early
		},
		area.Query: {
			area.Allow("FeedRead", []string{"dynamodb:DescribeTable", "dynamodb:Query"}, primary),
			area.Allow("FeedFollow", []string{"dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"}, primary+"/stream/*"),
			area.Allow("DashboardProject", append([]string{"dynamodb:DescribeTable"}, rows...), dashboard),
			area.Allow("DashboardIndexes", []string{"dynamodb:Query"}, dashboard+"/index/"+IndexBySentiment, dashboard+"/index/"+IndexByTag),
		},
		area.Rebuild: {
			area.Allow("FeedRead", []string{"dynamodb:Scan", "dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:ConditionCheckItem"}, primary),
			area.Allow("DashboardWrite", rows, dashboard),
		},
	}
}
