package dynamolite

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

const (
	iteratorLife   = 15 * time.Minute
	maxRecords     = 1000
	maxStreams     = 100
	maxRecordBytes = 1 << 20 // size of the records in one response, in bytes
)

type listStreamsInput struct {
	TableName               string
	Limit                   *int
	ExclusiveStartStreamArn string
}

type streamSummary struct{ StreamArn, StreamLabel, TableName string }

type listStreamsOutput struct {
	Streams                []streamSummary
	LastEvaluatedStreamArn string `json:",omitempty"`
}

type describeStreamInput struct {
	StreamArn             *string
	Limit                 *int
	ExclusiveStartShardId string
}

type sequenceNumberRange struct {
	StartingSequenceNumber string
	EndingSequenceNumber   string `json:",omitempty"`
}

type shard struct {
	ShardId             string
	SequenceNumberRange sequenceNumberRange
}

type streamDescription struct {
	StreamArn               string
	StreamLabel             string
	StreamStatus            string
	StreamViewType          string
	CreationRequestDateTime float64
	TableName               string
	KeySchema               []keySchemaElement
	Shards                  []shard
}

type getShardIteratorInput struct {
	StreamArn         *string
	ShardId           *string
	ShardIteratorType string
	SequenceNumber    string
}

type getRecordsInput struct {
	ShardIterator *string
	Limit         *int
}

type streamRecord struct {
	ApproximateCreationDateTime int64
	Keys                        attr.Item
	NewImage                    attr.Item `json:",omitzero"`
	OldImage                    attr.Item `json:",omitzero"`
	SequenceNumber              string
	SizeBytes                   int
	StreamViewType              string
}

type userIdentity struct{ PrincipalId, Type string }

type record struct {
	EventID      string        `json:"eventID"`
	EventName    string        `json:"eventName"`
	EventVersion string        `json:"eventVersion"`
	EventSource  string        `json:"eventSource"`
	AwsRegion    string        `json:"awsRegion"`
	Dynamodb     streamRecord  `json:"dynamodb"`
	UserIdentity *userIdentity `json:"userIdentity,omitempty"`
}

type getRecordsOutput struct {
	Records           []record
	NextShardIterator string `json:",omitempty"`
}

// sequenceText returns a sequence number of 21 digits, the minimum in AWS, so that
// sequence numbers also sort as text.
func sequenceText(n uint64) string { return fmt.Sprintf("1%020d", n) }

func parseSequence(text string) (uint64, error) {
	if len(text) == 21 && text[0] == '1' {
		if n, err := strconv.ParseUint(text[1:], 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, invalid("Invalid SequenceNumber: " + text)
}

// shardID returns the id of the stream's only shard.
func (s *stream) shardID() string {
	return fmt.Sprintf("shardId-%020d-%08x", s.OpenedAt.UnixMilli(), s.ID)
}

func readStream(tx *bbolt.Tx, arn string) (*stream, error) {
	definition, err := lookup(bucketOf(tx, streamsBucket), []byte(arn))
	if err != nil {
		return nil, fmt.Errorf("definition of stream %s: %w", arn, err)
	}
	if definition == nil {
		return nil, &apiError{code: "ResourceNotFoundException", message: "Requested resource not found: Stream: " + arn + " not found"}
	}
	s := new(stream)
	return s, json.Unmarshal(definition, s)
}

func pageLimit(given *int, most int) (int, error) {
	if given == nil {
		return most, nil
	}
	var c constraints
	switch {
	case *given < 1:
		c.add(fmt.Sprintf("'%d'", *given), "limit", "Member must have value greater than or equal to 1")
	case *given > most:
		c.add(fmt.Sprintf("'%d'", *given), "limit", fmt.Sprintf("Member must have value less than or equal to %d", most))
	}
	return *given, c.err()
}

func (e *Engine) listStreams(in *listStreamsInput) (any, error) {
	limit, err := pageLimit(in.Limit, maxStreams)
	if err != nil {
		return nil, err
	}
	out := listStreamsOutput{Streams: []streamSummary{}}
	err = e.read(func(tx *bbolt.Tx) error {
		cursor := bucketOf(tx, streamsBucket).Cursor()
		arn, stored := cursor.Seek([]byte(in.ExclusiveStartStreamArn))
		for ; arn != nil; arn, stored = cursor.Next() {
			s, err := decodeStream(arn, stored)
			if err != nil {
				return err
			}
			if s.ARN == in.ExclusiveStartStreamArn || in.TableName != "" && s.Table != in.TableName {
				continue
			}
			if len(out.Streams) == limit {
				out.LastEvaluatedStreamArn = out.Streams[limit-1].StreamArn
				return nil
			}
			out.Streams = append(out.Streams, streamSummary{s.ARN, s.Label, s.Table})
		}
		return nil
	})
	return out, err
}

func (e *Engine) describeStream(in *describeStreamInput) (any, error) {
	var c constraints
	c.required("streamArn", in.StreamArn != nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	if _, err := pageLimit(in.Limit, maxStreams); err != nil {
		return nil, err
	}
	var d streamDescription
	err := e.read(func(tx *bbolt.Tx) error {
		s, err := readStream(tx, *in.StreamArn)
		if err != nil {
			return err
		}
		d = streamDescription{s.ARN, s.Label, "ENABLED", s.ViewType, float64(s.OpenedAt.UnixMilli()) / 1000, s.Table, s.Key.elements(), []shard{}}
		one := shard{s.shardID(), sequenceNumberRange{StartingSequenceNumber: sequenceText(1)}}
		if !s.open() {
			d.StreamStatus = "DISABLED"
			one.SequenceNumberRange.EndingSequenceNumber = sequenceText(bucketOf(tx, bucketName('r', s.ID)).Sequence())
		}
		if in.ExclusiveStartShardId < one.ShardId {
			d.Shards = append(d.Shards, one)
		}
		return nil
	})
	return struct{ StreamDescription streamDescription }{d}, err
}

// position is a shard iterator: the sequence number to read next, or 0 for the
// oldest record.
type position struct {
	arn    string
	next   uint64
	issued time.Time
}

func (p position) String() string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s|%d|%d", p.arn, p.next, p.issued.UnixMilli()))
}

func parsePosition(text string) (p position, err error) {
	bad := invalid("Invalid ShardIterator")
	raw, err := base64.StdEncoding.DecodeString(text)
	parts := strings.Split(string(raw), "|")
	if err != nil || len(parts) != 3 {
		return p, bad
	}
	next, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return p, bad
	}
	issued, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return p, bad
	}
	return position{parts[0], next, time.UnixMilli(issued)}, nil
}

var errTrimmed = &apiError{code: "TrimmedDataAccessException", message: "The operation attempted to read past the oldest stream record in a shard"}

func (e *Engine) getShardIterator(in *getShardIteratorInput) (any, error) {
	var c constraints
	c.required("streamArn", in.StreamArn != nil)
	c.required("shardId", in.ShardId != nil)
	c.required("shardIteratorType", in.ShardIteratorType != "")
	c.enum("shardIteratorType", in.ShardIteratorType, "AFTER_SEQUENCE_NUMBER", "LATEST", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON")
	if err := c.err(); err != nil {
		return nil, err
	}
	at := strings.HasSuffix(in.ShardIteratorType, "SEQUENCE_NUMBER")
	if at != (in.SequenceNumber != "") {
		return nil, invalid("SequenceNumber must be given with AT_SEQUENCE_NUMBER and AFTER_SEQUENCE_NUMBER, and only with them")
	}
	p := position{arn: *in.StreamArn, issued: e.clock()}
	err := e.read(func(tx *bbolt.Tx) error {
		s, err := readStream(tx, p.arn)
		if err != nil {
			return err
		}
		if *in.ShardId != s.shardID() {
			return &apiError{code: "ResourceNotFoundException", message: "Requested resource not found: Shard does not exist"}
		}
		bucket := bucketOf(tx, bucketName('r', s.ID))
		if in.ShardIteratorType == "LATEST" {
			p.next = bucket.Sequence() + 1
		}
		if !at {
			return nil
		}
		if p.next, err = parseSequence(in.SequenceNumber); err != nil {
			return err
		}
		if in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER" {
			p.next++
		}
		oldest, err := oldestSequence(bucket, e.past(retention))
		if err == nil && p.next < oldest {
			err = errTrimmed
		}
		return err
	})
	return struct{ ShardIterator string }{p.String()}, err
}

// oldestSequence returns the first sequence number within retention, or the next
// one to be assigned if there is no such record.
func oldestSequence(bucket *bucket, horizon time.Time) (uint64, error) {
	key, _, err := seekRetained(bucket.Cursor(), horizon.UnixMilli())
	if key == nil || err != nil {
		return bucket.Sequence() + 1, err
	}
	return binary.BigEndian.Uint64(key), nil
}

func (e *Engine) getRecords(in *getRecordsInput) (any, error) {
	var c constraints
	c.required("shardIterator", in.ShardIterator != nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	limit, err := pageLimit(in.Limit, maxRecords)
	if err != nil {
		return nil, err
	}
	p, err := parsePosition(*in.ShardIterator)
	if err != nil {
		return nil, err
	}
	now := e.clock()
	if now.Sub(p.issued) > iteratorLife {
		return nil, &apiError{code: "ExpiredIteratorException", message: "Iterator expired. The iterator was created more than 15 minutes ago"}
	}
	out := getRecordsOutput{Records: []record{}}
	err = e.read(func(tx *bbolt.Tx) error {
		s, err := readStream(tx, p.arn)
		if err != nil {
			return err
		}
		bucket := bucketOf(tx, bucketName('r', s.ID))
		oldest, err := oldestSequence(bucket, e.past(retention))
		if err != nil {
			return err
		}
		if p.next == 0 {
			p.next = oldest
		}
		if p.next < oldest {
			return errTrimmed
		}
		size := 0
		cursor := bucket.Cursor()
		key, stored := cursor.Seek(binary.BigEndian.AppendUint64(nil, p.next))
		for ; key != nil && len(out.Records) < limit && size < maxRecordBytes; key, stored = cursor.Next() {
			change, err := decodeChange(key, stored)
			if err != nil {
				return err
			}
			sequence := binary.BigEndian.Uint64(key)
			r := change.record(s, sequence)
			size += r.Dynamodb.SizeBytes
			out.Records = append(out.Records, r)
			p.next = sequence + 1
		}
		if s.open() || p.next <= bucket.Sequence() {
			p.issued = now
			out.NextShardIterator = p.String()
		}
		return nil
	})
	return out, err
}

func (c loggedChange) record(s *stream, sequence uint64) record {
	r := record{
		EventID:      fmt.Sprintf("%08x%024x", s.ID, sequence),
		EventName:    c.event,
		EventVersion: "1.1",
		EventSource:  "aws:dynamodb",
		AwsRegion:    "us-east-1",
		Dynamodb: streamRecord{
			ApproximateCreationDateTime: c.at / 1000,
			Keys:                        c.keys,
			NewImage:                    c.after,
			OldImage:                    c.before,
			SequenceNumber:              sequenceText(sequence),
			SizeBytes:                   attr.Size(c.keys) + attr.Size(c.after) + attr.Size(c.before),
			StreamViewType:              s.ViewType,
		},
	}
	if c.service {
		r.UserIdentity = &userIdentity{"dynamodb.amazonaws.com", "Service"}
	}
	return r
}
