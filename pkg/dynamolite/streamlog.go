package dynamolite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

// retention is the time for which a stream record can be read.
const retention = 24 * time.Hour

// streamsBucket stores the streams as JSON, by ARN.
var streamsBucket = []byte("streams")

// stream is the change log of a table since the stream was enabled.
type stream struct {
	ID       uint64
	ARN      string
	Label    string
	Table    string
	ViewType string
	Key      keySchema
	OpenedAt time.Time
	ClosedAt time.Time `json:",omitzero"`
}

func (s *stream) open() bool { return s.ClosedAt.IsZero() }

func (s *streamSpecification) check() error {
	var c constraints
	c.enum("streamSpecification.streamViewType", s.StreamViewType, "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
	if err := c.err(); err != nil {
		return err
	}
	if s.StreamEnabled && s.StreamViewType == "" {
		return invalidParameters("Stream StreamViewType is missing")
	}
	if !s.StreamEnabled && s.StreamViewType != "" {
		return invalidParameters("StreamViewType cannot be specified when StreamEnabled is false")
	}
	return nil
}

// openStream starts a stream for t. The caller must store the definition of t.
func (w *writeTx) openStream(t *table, viewType string) error {
	w.restructure()
	id, err := w.nextID()
	if err != nil {
		return err
	}
	s := &stream{ID: id, Table: t.Name, ViewType: viewType, Key: t.Key, OpenedAt: w.now}
	for at := w.now.UTC(); ; at = at.Add(time.Millisecond) { // labels are unique
		s.Label = at.Format("2006-01-02T15:04:05.000")
		s.ARN = arnPrefix + t.Name + "/stream/" + s.Label
		if bucketOf(w.tx, streamsBucket).Get([]byte(s.ARN)) == nil {
			break
		}
	}
	if err := createBucket(w.tx, bucketName('r', s.ID)); err != nil {
		return err
	}
	t.Stream = s
	return w.putStream(s)
}

func (w *writeTx) putStream(s *stream) error {
	definition, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return bucketOf(w.tx, streamsBucket).Put([]byte(s.ARN), seal([]byte(s.ARN), definition))
}

func decodeStream(arn, stored []byte) (*stream, error) {
	definition, err := unseal(arn, stored)
	if err != nil {
		return nil, fmt.Errorf("definition of stream %s: %w", arn, err)
	}
	s := new(stream)
	return s, json.Unmarshal(definition, s)
}

// closeStream ends the log of s and returns the closed stream. Its records remain
// until they are trimmed.
func (w *writeTx) closeStream(s *stream) (*stream, error) {
	w.restructure()
	closed := *s
	closed.ClosedAt = w.now
	return &closed, w.putStream(&closed)
}

// loggedChange is a stream record as it is stored.
type loggedChange struct {
	at      int64 // epoch milliseconds
	service bool  // deleted by TTL
	event   string
	keys    attr.Item
	before  attr.Item
	after   attr.Item
}

// record appends the change of one item to the table's stream, with the images that the view type
// specifies.
func (w *writeTx) record(t *table, before, after attr.Item, service bool) error {
	stored := make(attr.Item, 0, 6)
	set := func(name string, v attr.Value) { stored = append(stored, attr.Attribute{Name: name, Value: v}) }
	set("at", attr.Num(attr.NumberOf(w.now.UnixMilli())))
	event, existing := "MODIFY", after
	switch {
	case before == nil:
		event = "INSERT"
	case after == nil:
		event, existing = "REMOVE", before
	}
	set("event", attr.String(event))
	set("keys", attr.Map(existing.Part(t.Key.has)))
	view := t.Stream.ViewType
	if after != nil && (view == "NEW_IMAGE" || view == "NEW_AND_OLD_IMAGES") {
		set("after", attr.Map(after))
	}
	if before != nil && (view == "OLD_IMAGE" || view == "NEW_AND_OLD_IMAGES") {
		set("before", attr.Map(before))
	}
	if service {
		set("service", attr.Bool(true))
	}
	return w.push(bucketName('r', t.Stream.ID), attr.EncodeItem(nil, attr.ItemOf(stored...)))
}

func decodeChange(key, stored []byte) (loggedChange, error) {
	var item attr.Item
	value, err := unseal(key, stored)
	if err == nil {
		item, err = attr.DecodeItem(value)
	}
	if err != nil {
		return loggedChange{}, fmt.Errorf("stream record: %w", err)
	}
	at, _ := item.Of("at").Num.Int64()
	return loggedChange{at, item.Of("service").Bool, item.Of("event").Str, item.Of("keys").Map, item.Of("before").Map, item.Of("after").Map}, nil
}

// seekRetained moves the cursor to the first record that is not older than
// horizon (epoch milliseconds).
func seekRetained(cursor *cursor, horizon int64) (key, stored []byte, err error) {
	for key, stored = cursor.First(); key != nil; key, stored = cursor.Next() {
		change, err := decodeChange(key, stored)
		if err != nil || change.at >= horizon {
			return key, stored, err
		}
	}
	return nil, nil, nil
}

// trimStreams removes up to sweepBatch records past retention from each stream, and
// streams that were closed longer ago than retention. It reports whether there may be
// more.
func (e *Engine) trimStreams() (more bool, err error) {
	horizon := e.past(retention)
	var due []*stream
	err = e.read(func(tx *bbolt.Tx) error {
		return bucketOf(tx, streamsBucket).ForEach(func(arn, stored []byte) error {
			s, err := decodeStream(arn, stored)
			if err != nil {
				return err
			}
			key, first := bucketOf(tx, bucketName('r', s.ID)).Cursor().First()
			if first == nil {
				if !s.open() && s.ClosedAt.Before(horizon) {
					due = append(due, s)
				}
				return nil
			}
			oldest, err := decodeChange(key, first)
			if err == nil && oldest.at < horizon.UnixMilli() {
				due = append(due, s)
			}
			return err
		})
	})
	if err != nil || len(due) == 0 {
		return false, err
	}
	err = e.write(func(w *writeTx) error {
		for _, s := range due {
			name := bucketName('r', s.ID)
			bucket := bucketOf(w.tx, name)
			if bucket == nil {
				continue // another sweep has removed the stream
			}
			end, _, err := seekRetained(bucket.Cursor(), horizon.UnixMilli())
			if err != nil {
				return err
			}
			removed := 0
			cursor := bucket.Cursor()
			for key, _ := cursor.First(); key != nil && !bytes.Equal(key, end) && removed < sweepBatch; key, _ = cursor.First() {
				if err := w.remove(name, key); err != nil {
					return err
				}
				removed++
			}
			more = more || removed == sweepBatch
			if key, _ := cursor.First(); key != nil || s.open() || !s.ClosedAt.Before(horizon) {
				continue
			}
			w.restructure()
			if err := deleteBucket(w.tx, name); err != nil {
				return err
			}
			if err := bucketOf(w.tx, streamsBucket).Delete([]byte(s.ARN)); err != nil {
				return err
			}
		}
		return nil
	})
	return more, err
}
