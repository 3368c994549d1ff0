package dynamolite_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// stream returns the latest stream of the table and its shard.
func (s *service) stream(table string) (arn, shard *string) {
	s.t.Helper()
	described := must(s.DescribeTable(s.t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)}))(s.t)
	arn = described.Table.LatestStreamArn
	out := must(s.streams.DescribeStream(s.t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn}))(s.t)
	return arn, out.StreamDescription.Shards[0].ShardId
}

func (s *service) iterator(arn, shard *string, kind streamtypes.ShardIteratorType, sequence *string) (*string, error) {
	out, err := s.streams.GetShardIterator(s.t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: shard, ShardIteratorType: kind, SequenceNumber: sequence,
	})
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

// records reads from the iterator, limit records at a time, until a page is
// empty; next is nil when the shard has ended.
func (s *service) records(iterator *string, limit int32) (records []streamtypes.Record, next *string) {
	s.t.Helper()
	for range 1000 {
		out := must(s.streams.GetRecords(s.t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(limit)}))(s.t)
		records = append(records, out.Records...)
		if iterator = out.NextShardIterator; iterator == nil || len(out.Records) == 0 {
			return records, iterator
		}
	}
	s.t.Fatal("got more than 1000 pages of the shard, want at most 1000")
	return nil, nil
}

func (s *service) fromStart(table string) []streamtypes.Record {
	s.t.Helper()
	arn, shard := s.stream(table)
	iterator := must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeTrimHorizon, nil))(s.t)
	records, _ := s.records(iterator, 1000)
	return records
}

func TestStreamRecordsFollowTheViewType(t *testing.T) {
	for view, want := range map[types.StreamViewType]string{
		types.StreamViewTypeKeysOnly:        "INSERT MODIFY REMOVE",
		types.StreamViewTypeNewImage:        "INSERT+new=1 MODIFY+new=2 REMOVE",
		types.StreamViewTypeOldImage:        "INSERT MODIFY+old=1 REMOVE+old=2",
		types.StreamViewTypeNewAndOldImages: "INSERT+new=1 MODIFY+old=1+new=2 REMOVE+old=2",
	} {
		s := start(t, dynamolite.Options{})
		s.table("things", "pk:S", "", withStream(view))
		s.put("things", item("pk", "a", "n", 1))
		s.put("things", item("pk", "a", "n", 1)) // changes nothing
		s.put("things", item("pk", "a", "n", 2))
		for range 2 { // the second deletion changes nothing
			must(s.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("things"), Key: item("pk", "a")}))(t)
		}
		var got []string
		for _, r := range s.fromStart("things") {
			line := string(r.EventName)
			if old := r.Dynamodb.OldImage; old != nil {
				line += "+old=" + old["n"].(*streamtypes.AttributeValueMemberN).Value
			}
			if after := r.Dynamodb.NewImage; after != nil {
				line += "+new=" + after["n"].(*streamtypes.AttributeValueMemberN).Value
			}
			if r.Dynamodb.Keys["pk"].(*streamtypes.AttributeValueMemberS).Value != "a" || r.UserIdentity != nil {
				t.Errorf("%s: got keys %v, identity %v; want key a and no identity", view, r.Dynamodb.Keys, r.UserIdentity)
			}
			got = append(got, line)
		}
		if line := strings.Join(got, " "); line != want {
			t.Errorf("%s: got %s, want %s", view, line, want)
		}
	}
}

func TestIteratorStartsAtTheRequestedPosition(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("things", "pk:N", "", withStream(types.StreamViewTypeKeysOnly))
	for n := range 5 {
		s.put("things", item("pk", n))
	}
	arn, shard := s.stream("things")
	all := s.fromStart("things")
	if !slices.IsSortedFunc(all, func(a, b streamtypes.Record) int {
		return strings.Compare(*a.Dynamodb.SequenceNumber, *b.Dynamodb.SequenceNumber)
	}) {
		t.Error("got records in another order, want increasing sequence numbers")
	}
	latest := must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeLatest, nil))(t)
	s.put("things", item("pk", 5))
	third := all[2].Dynamodb.SequenceNumber
	for name, tc := range map[string]struct {
		iterator *string
		count    int
	}{
		"horizon": {must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeTrimHorizon, nil))(t), 6},
		"latest":  {latest, 1},
		"at":      {must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeAtSequenceNumber, third))(t), 4},
		"after":   {must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeAfterSequenceNumber, third))(t), 3},
	} {
		records, next := s.records(tc.iterator, 2)
		if len(records) != tc.count || next == nil {
			t.Errorf("%s: got %d records, next iterator %v; want %d and an iterator", name, len(records), next, tc.count)
		}
	}
	_, err := s.iterator(arn, aws.String(strings.Repeat("x", 30)), streamtypes.ShardIteratorTypeLatest, nil)
	wantError(t, err, "ResourceNotFoundException")
}

func TestStreamIsTrimmedAfterADay(t *testing.T) {
	now := newClock()
	s := start(t, dynamolite.Options{Clock: now.Now, SweepInterval: -1})
	s.table("things", "pk:N", "", withStream(types.StreamViewTypeKeysOnly))
	for n := range 250 { // more than a sweep removes in one change
		s.put("things", item("pk", n))
	}
	arn, shard := s.stream("things")
	first := s.fromStart("things")[0].Dynamodb.SequenceNumber
	now.Advance(25 * time.Hour)
	s.put("things", item("pk", 1000))
	for _, when := range []string{"before the sweep", "after the sweep"} {
		if records := s.fromStart("things"); len(records) != 1 {
			t.Errorf("%s: got %d records, want 1", when, len(records))
		}
		_, err := s.iterator(arn, shard, streamtypes.ShardIteratorTypeAtSequenceNumber, first)
		wantError(t, err, "TrimmedDataAccessException")
		if err := s.engine.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	iterator := must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeLatest, nil))(t)
	now.Advance(16 * time.Minute)
	_, err := s.streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
	wantError(t, err, "ExpiredIteratorException")
}

func TestClosedStreamCanBeReadToItsEnd(t *testing.T) {
	now := newClock()
	s := start(t, dynamolite.Options{Clock: now.Now, SweepInterval: -1})
	s.table("things", "pk:N", "", withStream(types.StreamViewTypeKeysOnly))
	s.put("things", item("pk", 1))
	arn, shard := s.stream("things")
	iterator := must(s.iterator(arn, shard, streamtypes.ShardIteratorTypeTrimHorizon, nil))(t)
	must(s.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("things")}))(t)
	s.table("things", "pk:N", "", withStream(types.StreamViewTypeKeysOnly))
	if other, _ := s.stream("things"); *other == *arn {
		t.Error("the new stream has the ARN of the old one, want a different ARN")
	}
	if records, next := s.records(iterator, 10); len(records) != 1 || next != nil {
		t.Errorf("got %d records, next iterator %v; want 1 and none", len(records), next)
	}
	listed := must(s.streams.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{TableName: aws.String("things"), Limit: aws.Int32(1)}))(t)
	if len(listed.Streams) != 1 || listed.LastEvaluatedStreamArn == nil {
		t.Errorf("got first page %v, want 1 stream of several", listed)
	}
	now.Advance(25 * time.Hour)
	if err := s.engine.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := s.iterator(arn, shard, streamtypes.ShardIteratorTypeTrimHorizon, nil)
	wantError(t, err, "ResourceNotFoundException")
}

func TestExpiredItemIsDeletedByTheService(t *testing.T) {
	now := newClock()
	s := start(t, dynamolite.Options{Clock: now.Now, SweepInterval: -1})
	s.table("things", "pk:S", "", withStream(types.StreamViewTypeOldImage), withIndex("by_kind", "kind:S", "", types.ProjectionTypeAll))
	at := func(d time.Duration) int { return int(now.Now().Add(d).Unix()) }
	s.put("things", item("pk", "before ttl", "kind", "k", "expires", at(time.Minute)))
	must(s.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String("things"), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)},
	}))(t)
	for n := range 120 { // more than a sweep removes in one change
		s.put("things", item("pk", "many"+strings.Repeat("x", n), "kind", "k", "expires", at(time.Minute)))
	}
	s.put("things", item("pk", "later", "kind", "k", "expires", at(time.Hour)))
	s.put("things", item("pk", "postponed", "kind", "k", "expires", at(time.Minute)))
	s.put("things", item("pk", "postponed", "kind", "k", "expires", at(time.Hour)))
	s.put("things", item("pk", "text", "kind", "k", "expires", "1"))
	s.put("things", item("pk", "ancient", "kind", "k", "expires", at(-6*365*24*time.Hour)))
	now.Advance(2 * time.Minute)
	if err := s.engine.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	remaining, _ := s.pages(dynamodb.QueryInput{
		TableName: aws.String("things"), IndexName: aws.String("by_kind"), KeyConditionExpression: aws.String("kind = :k"), ExpressionAttributeValues: item(":k", "k"),
	})
	names := texts(remaining, "pk")
	slices.Sort(names)
	if want := []string{"ancient", "later", "postponed", "text"}; !slices.Equal(names, want) {
		t.Errorf("got remaining items %v, want %v", names, want)
	}
	removed := 0
	for _, r := range s.fromStart("things") {
		if r.EventName != streamtypes.OperationTypeRemove {
			continue
		}
		removed++
		if id := r.UserIdentity; id == nil || *id.PrincipalId != "dynamodb.amazonaws.com" || *id.Type != "Service" || r.Dynamodb.OldImage == nil {
			t.Fatalf("got record %v, want a deletion by the service with the old image", r)
		}
	}
	if removed != 121 {
		t.Errorf("got %d deletions in the stream, want 121", removed)
	}
}
