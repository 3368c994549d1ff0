package main

import (
	"context"
	"fmt"
	"reflect"
)

// streamPair reads one table's change stream from both engines.
type streamPair struct {
	table        tableSpec
	ours, theirs *streamReader
}

// streamReader reads the only shard of a stream.
type streamReader struct {
	client   *client
	iterator any
}

func openStreams(ctx context.Context, t tableSpec, ours, theirs *client) (*streamPair, error) {
	a, err := openStream(ctx, t, ours)
	if err != nil {
		return nil, err
	}
	b, err := openStream(ctx, t, theirs)
	return &streamPair{t, a, b}, err
}

func openStream(ctx context.Context, t tableSpec, c *client) (*streamReader, error) {
	described, err := c.must(ctx, request{"DescribeTable", object{"TableName": t.name}})
	if err != nil {
		return nil, err
	}
	table, _ := described["Table"].(object)
	arn := table["LatestStreamArn"]
	described, err = c.must(ctx, request{"DescribeStream", object{"StreamArn": arn}})
	if err != nil {
		return nil, err
	}
	description, _ := described["StreamDescription"].(object)
	shards, _ := description["Shards"].(list)
	if len(shards) != 1 {
		return nil, fmt.Errorf("%s: %s has %d shards, want 1", c.name, t.name, len(shards))
	}
	got, err := c.must(ctx, request{"GetShardIterator", object{
		"StreamArn": arn, "ShardId": shards[0].(object)["ShardId"], "ShardIteratorType": "TRIM_HORIZON",
	}})
	if err != nil {
		return nil, err
	}
	return &streamReader{c, got["ShardIterator"]}, nil
}

// must sends r and returns the body. A rejected request is an error.
func (c *client) must(ctx context.Context, r request) (object, error) {
	a, err := c.send(ctx, r)
	if err == nil && !a.ok() {
		err = fmt.Errorf("%s: %s: %s", c.name, r, a)
	}
	return a.body, err
}

// read returns the records written since the last call, by item. It drops fields
// that always differ: IDs, sequence numbers and times.
func (s *streamReader) read(ctx context.Context, table string) (map[string]list, error) {
	byKey := map[string]list{}
	for {
		body, err := s.client.must(ctx, request{"GetRecords", object{"ShardIterator": s.iterator}})
		if err != nil {
			return nil, err
		}
		s.iterator = body["NextShardIterator"]
		records, _ := body["Records"].(list)
		for _, elem := range records {
			record := elem.(object)
			change := record["dynamodb"].(object)
			kept := object{"eventName": record["eventName"], "userIdentity": record["userIdentity"]}
			for _, field := range []string{"Keys", "NewImage", "OldImage", "StreamViewType"} {
				kept[field] = normalizedJSON(change[field])
			}
			key := table + text(kept["Keys"])
			byKey[key] = append(byKey[key], kept)
		}
		if len(records) == 0 || s.iterator == nil {
			return byKey, nil
		}
	}
}

// compare reads both streams and compares the records of each item that is not
// dirty. It returns the difference for one item.
func (p *streamPair) compare(ctx context.Context, dirty map[string]bool) (difference, bool, error) {
	ours, err := p.ours.read(ctx, p.table.name)
	if err != nil {
		return difference{}, false, err
	}
	theirs, err := p.theirs.read(ctx, p.table.name)
	if err != nil {
		return difference{}, false, err
	}
	for key := range theirs {
		if _, ok := ours[key]; !ok {
			ours[key] = nil
		}
	}
	for key := range ours {
		if dirty[key] || reflect.DeepEqual(ours[key], withoutEmptyChanges(ours[key], theirs[key])) {
			continue
		}
		records := func(l list) response { return response{status: 200, body: object{"Records": l}} }
		return difference{
			request: request{"GetRecords", object{"TableName": p.table.name, "Item": key}},
			ours:    records(ours[key]), theirs: records(theirs[key]),
		}, true, nil
	}
	return difference{}, false, nil
}

// withoutEmptyChanges drops from theirs the records of writes that change nothing,
// which dynoxide writes but DynamoDB does not. If the view has only one image or
// none, such a record is recognized by its absence from ours.
func withoutEmptyChanges(ours, theirs list) list {
	var kept list
	for _, elem := range theirs {
		record := elem.(object)
		expected := len(kept) < len(ours) && reflect.DeepEqual(ours[len(kept)], elem)
		empty := record["eventName"] == "MODIFY" && (record["StreamViewType"] != "NEW_AND_OLD_IMAGES" ||
			reflect.DeepEqual(record["NewImage"], record["OldImage"]))
		if expected || !empty {
			kept = append(kept, elem)
		}
	}
	return kept
}
