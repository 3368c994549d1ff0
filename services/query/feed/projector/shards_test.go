package projector_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// splitting is a proxy for an engine's only shard. It splits the shard the way DynamoDB does for a
// busy table: into shards that end and have children, each with the changes to some items. It
// records which children are read before the end of their parent.
type splitting struct {
	engine string // URL of the engine
	t      *testing.T

	mu     sync.Mutex
	shards []*part
	early  []string
}

// part is a shard. It contains a range of the changes to items whose hash has a given remainder.
type part struct {
	id, parent         string
	modulus, remainder uint32
	after, to          string // sequence numbers; to is empty while the part is open
	ended              bool   // a reader has reached its end
	forgotten          bool   // no longer listed
}

// split puts a proxy in front of b's streams.
func (b *bench) split(t *testing.T) *splitting {
	t.Helper()
	s := &splitting{engine: aws.ToString(b.db.Options().BaseEndpoint), t: t, shards: []*part{{id: "shard-00", modulus: 1}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	b.streams = table.ConnectStreams(tabletest.Base(), table.Config{Endpoint: server.URL})
	return s
}

// grow ends the open shards at the sequence number last, and adds the given number
// of children to each.
func (s *splitting) grow(children uint32, last string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, parent := range slices.Clone(s.shards) {
		if parent.to != "" {
			continue
		}
		parent.to = last
		for i := range children {
			s.shards = append(s.shards, &part{
				id: fmt.Sprintf("shard-%02d", len(s.shards)), parent: parent.id, after: last,
				modulus: parent.modulus * children, remainder: parent.remainder + i*parent.modulus,
			})
		}
	}
}

// forget stops listing the shards that were read to their end, as DynamoDB does
// after a day. It returns the number of other shards.
func (s *splitting) forget() (left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.shards {
		if p.forgotten = p.ended; !p.forgotten {
			left++
		}
	}
	return left
}

func (s *splitting) find(id string) *part {
	for _, p := range s.shards {
		if p.id == id {
			return p
		}
	}
	return nil
}

type streamCall struct {
	StreamArn, ShardId, ShardIteratorType, SequenceNumber, ShardIterator, ExclusiveStartShardId string
	Limit                                                                                       int
}

func (s *splitting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in streamCall
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		s.t.Errorf("decode a stream request: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var out any
	switch operation {
	case "DescribeStream":
		out = s.describe(in)
	case "GetShardIterator":
		out = s.iterator(in)
	case "GetRecords":
		out = s.records(r, in)
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	data, err := json.Marshal(out)
	if err != nil {
		s.t.Errorf("encode a stream response: %v", err)
	}
	_, _ = w.Write(data) // fails if the client has disconnected
}

// describe lists two shards at a time, youngest first.
func (s *splitting) describe(in streamCall) any {
	listed := slices.Clone(s.shards)
	slices.SortFunc(listed, func(a, b *part) int { return cmp.Compare(b.id, a.id) })
	listed = slices.DeleteFunc(listed, func(p *part) bool {
		return p.forgotten || in.ExclusiveStartShardId != "" && p.id >= in.ExclusiveStartShardId
	})
	description := map[string]any{"StreamArn": in.StreamArn, "StreamStatus": "ENABLED"}
	if len(listed) > 2 {
		listed = listed[:2]
		description["LastEvaluatedShardId"] = listed[1].id
	}
	shards := []map[string]string{}
	for _, p := range listed {
		shard := map[string]string{"ShardId": p.id}
		if p.parent != "" {
			shard["ParentShardId"] = p.parent
		}
		shards = append(shards, shard)
	}
	description["Shards"] = shards
	return map[string]any{"StreamDescription": description}
}

func (s *splitting) iterator(in streamCall) any {
	p := s.find(in.ShardId)
	if parent := s.find(p.parent); parent != nil && !parent.ended {
		s.early = append(s.early, p.id)
	}
	after := p.after
	if in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER" {
		after = in.SequenceNumber
	}
	return map[string]string{"ShardIterator": p.id + "|" + in.StreamArn + "|" + after}
}

type streamRecord struct {
	Dynamodb struct {
		SequenceNumber string
		Keys           struct{ Source_id struct{ S string } }
	} `json:"dynamodb"`
}

// records returns the records of the engine's shard that belong to the part.
func (s *splitting) records(r *http.Request, in streamCall) any {
	at := strings.Split(in.ShardIterator, "|")
	p, arn, after := s.find(at[0]), at[1], at[2]
	page := s.page(r, arn, after, in.Limit)
	records := []json.RawMessage{}
	for _, raw := range page {
		var record streamRecord
		if err := json.Unmarshal(raw, &record); err != nil {
			s.t.Errorf("decode a change: %v", err)
		}
		if p.to != "" && record.Dynamodb.SequenceNumber > p.to {
			after = p.to
			break
		}
		after = record.Dynamodb.SequenceNumber
		hash := fnv.New32a()
		_, _ = io.WriteString(hash, record.Dynamodb.Keys.Source_id.S) // never fails
		if hash.Sum32()%p.modulus == p.remainder {
			records = append(records, raw)
		}
	}
	out := map[string]any{"Records": records}
	if p.to != "" && after >= p.to {
		p.ended = true
	} else {
		out["NextShardIterator"] = strings.Join([]string{p.id, arn, after}, "|")
	}
	return out
}

// page reads up to limit records of the engine's shard after a sequence number.
func (s *splitting) page(r *http.Request, arn, after string, limit int) []json.RawMessage {
	var described struct {
		StreamDescription struct{ Shards []struct{ ShardId string } }
	}
	if !s.ask(r, "DescribeStream", map[string]any{"StreamArn": arn}, &described) {
		return nil
	}
	position := map[string]any{"StreamArn": arn, "ShardId": described.StreamDescription.Shards[0].ShardId, "ShardIteratorType": "TRIM_HORIZON"}
	if after != "" {
		position["ShardIteratorType"], position["SequenceNumber"] = "AFTER_SEQUENCE_NUMBER", after
	}
	var iterator struct{ ShardIterator string }
	if !s.ask(r, "GetShardIterator", position, &iterator) {
		return nil
	}
	var page struct{ Records []json.RawMessage }
	s.ask(r, "GetRecords", map[string]any{"ShardIterator": iterator.ShardIterator, "Limit": limit}, &page)
	return page.Records
}

// ask sends a request to the engine. It returns false if the request fails, and also fails the test
// unless the client has disconnected.
func (s *splitting) ask(r *http.Request, operation string, in map[string]any, out any) bool {
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Error(err)
		return false
	}
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, s.engine, bytes.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return false
	}
	request.Header = r.Header.Clone()
	request.Header.Set("X-Amz-Target", "DynamoDBStreams_20120810."+operation)
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		defer answer.Body.Close()
		err = json.NewDecoder(answer.Body).Decode(out)
	}
	if err != nil && r.Context().Err() == nil {
		s.t.Errorf("%s: %v", operation, err)
	}
	return err == nil
}

// last returns the sequence number of the stream's last change.
func (s *splitting) last(t *testing.T, arn string) string {
	t.Helper()
	last := ""
	for {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		request.Header.Set("Content-Type", "application/x-amz-json-1.0")
		page := s.page(request, arn, last, 1000)
		if len(page) == 0 {
			return last
		}
		var record streamRecord
		if err := json.Unmarshal(page[len(page)-1], &record); err != nil {
			t.Fatal(err)
		}
		last = record.Dynamodb.SequenceNumber
	}
}

// TestShardsAreReadParentFirst checks that all items are projected, and no child is read before the
// end of its parent, while shards are split, items are written, and a projector stops and resumes.
// Finally, the first shards are removed.
func TestShardsAreReadParentFirst(t *testing.T) {
	b := open(t)
	s := b.split(t)
	var want []string
	n := 0
	add := func(count int) {
		for range count {
			n++
			item := b.add(t, n, "a")
			want = append(want, "reddit#"+strconv.Itoa(n))
			if n%3 == 0 {
				if _, err := b.store.AddTags(t.Context(), item, []string{"b"}); err != nil {
					t.Fatal(err)
				}
			}
			if n%7 == 0 {
				b.remove(t, item)
				want = want[:len(want)-1]
			}
		}
	}
	add(30)
	described, err := b.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &b.tables.Primary})
	if err != nil {
		t.Fatal(err)
	}
	arn := aws.ToString(described.Table.LatestStreamArn)
	_, stop := b.start(t, nil)
	for _, children := range []uint32{2, 1, 2} {
		s.grow(children, s.last(t, arn))
		add(20)
		stop()
		_, stop = b.start(t, nil)
		add(20)
	}
	defer func() { stop() }()
	slices.Sort(want)
	b.await(t, "", want...)
	eventually(t, func() error { // of the 1+2+2+4 shards, the 5 closed ones are read to their end
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range s.shards {
			if p.to != "" && !p.ended {
				return fmt.Errorf("%s has not been read to its end", p.id)
			}
		}
		return nil
	})
	if left := s.forget(); left != 4 {
		t.Errorf("got %d remaining shards, want 4", left)
	}
	stop()
	_, stop = b.start(t, nil)
	add(10)
	slices.Sort(want)
	b.await(t, "", want...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.early) > 0 {
		t.Errorf("got shards %v read before the end of their parent, want none", s.early)
	}
	summary, err := b.dashboard.Summary(t.Context(), dashboard.Query{Hours: 1})
	if err != nil || summary.Total != len(want) || summary.Sentiment != (dashboard.Counts{Positive: len(want)}) {
		t.Errorf("got %+v, error %v, want %d positive items", summary, err, len(want))
	}
}
