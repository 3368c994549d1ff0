package dynamolite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

// sweepBatch is the maximum number of items or records that a sweep removes in one
// change, so that requests do not wait long for it.
const sweepBatch = 100

// oldestExpiry is the maximum age of an expiry time at which an item is still deleted.
// DynamoDB does not delete items that expired more than five years ago (Developer Guide,
// "Using time to live").
const oldestExpiry = 5 * 365 * 24 * time.Hour

type timeToLiveSpecification struct {
	AttributeName *string
	Enabled       *bool
}

type updateTimeToLiveInput struct {
	TableName               *string
	TimeToLiveSpecification *timeToLiveSpecification
}

type timeToLiveDescription struct {
	TimeToLiveStatus string
	AttributeName    string `json:",omitempty"`
}

// expiryEntry returns the key of item's entry in the expiry bucket, or nil if
// the item does not expire because the attribute is missing or not a positive
// integer.
func expiryEntry(attribute string, item attr.Item, key []byte) []byte {
	v, ok := item.Get(attribute)
	if !ok || v.Kind != attr.N {
		return nil
	}
	seconds, ok := v.Num.Int64()
	if !ok || seconds <= 0 {
		return nil
	}
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(key)), uint64(seconds)), key...)
}

func (e *Engine) describeTimeToLive(in *tableInput) (any, error) {
	t, err := e.named(in)
	if err != nil {
		return nil, err
	}
	d := timeToLiveDescription{TimeToLiveStatus: "DISABLED"}
	if t.TTL != "" {
		d = timeToLiveDescription{"ENABLED", t.TTL}
	}
	return struct{ TimeToLiveDescription timeToLiveDescription }{d}, nil
}

func (e *Engine) updateTimeToLive(in *updateTimeToLiveInput) (any, error) {
	var c constraints
	c.tableName(in.TableName)
	spec := in.TimeToLiveSpecification
	c.required("timeToLiveSpecification", spec != nil)
	if spec != nil {
		c.required("timeToLiveSpecification.enabled", spec.Enabled != nil)
		c.required("timeToLiveSpecification.attributeName", spec.AttributeName != nil)
		if spec.AttributeName != nil && *spec.AttributeName == "" {
			c.add("''", "timeToLiveSpecification.attributeName", "Member must have length greater than or equal to 1")
		}
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := e.settled(&tableInput{in.TableName})
	if err != nil {
		return nil, err
	}
	switch {
	case *spec.Enabled && t.TTL == *spec.AttributeName:
		return nil, invalid("TimeToLive is already enabled")
	case !*spec.Enabled && t.TTL == "":
		return nil, invalid("TimeToLive is already disabled")
	case t.TTL != "" && t.TTL != *spec.AttributeName:
		return nil, invalid("TimeToLive is active on a different AttributeName: current AttributeName is " + t.TTL)
	}
	changed := *t
	changed.TTL = ""
	if *spec.Enabled {
		changed.TTL = *spec.AttributeName
	}
	err = e.write(func(w *writeTx) error {
		if err := w.current(t); err != nil {
			return err
		}
		if err := w.indexExpiry(&changed); err != nil {
			return err
		}
		return w.define(&changed)
	})
	return struct{ TimeToLiveSpecification *timeToLiveSpecification }{spec}, err
}

// indexExpiry rebuilds the table's expiry bucket.
func (w *writeTx) indexExpiry(t *table) error {
	w.restructure()
	name := bucketName('e', t.ID)
	if err := deleteBucket(w.tx, name); err != nil {
		return err
	}
	if err := createBucket(w.tx, name); err != nil || t.TTL == "" {
		return err
	}
	return bucketOf(w.tx, bucketName('i', t.ID)).ForEach(func(key, stored []byte) error {
		value, err := unseal(key, stored)
		if err != nil {
			return err
		}
		item, err := attr.DecodeItem(value)
		if err != nil {
			return err
		}
		return w.move(name, nil, expiryEntry(t.TTL, item, key), []byte{})
	})
}

// Sweep removes expired items, stream records past retention and old request
// tokens, according to the engine's clock, and completes backups and restores. It returns
// when all of this is done, or when ctx is done.
func (e *Engine) Sweep(ctx context.Context) error {
	return errors.Join(e.sweep(ctx), e.copyAll(ctx))
}

func (e *Engine) sweep(ctx context.Context) error {
	for _, step := range []func() (more bool, err error){e.expireItems, e.trimStreams, e.forgetTokens} {
		for more := true; more; {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if more, err = step(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Engine) sweepEvery(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := e.sweep(ctx); err != nil && ctx.Err() == nil && e.onError != nil {
				e.onError(err)
			}
		}
	}
}

// dueItems returns the storage keys of up to sweepBatch expired items.
func dueItems(tx *bbolt.Tx, t *table, now time.Time) (due [][]byte, err error) {
	bucket := bucketOf(tx, bucketName('e', t.ID))
	if bucket == nil {
		return nil, nil // the table has been deleted
	}
	first := binary.BigEndian.AppendUint64(nil, uint64(max(0, now.Add(-oldestExpiry).Unix())))
	end := binary.BigEndian.AppendUint64(nil, uint64(now.Unix()))
	cursor := bucket.Cursor()
	for key, stored := cursor.Seek(first); key != nil && bytes.Compare(key[:8], end) < 0 && len(due) < sweepBatch; key, stored = cursor.Next() {
		if _, err := unseal(key, stored); err != nil { // a damaged entry must not expire an item early
			return nil, fmt.Errorf("expiry of an item of table %s: %w", t.Name, err)
		}
		due = append(due, bytes.Clone(key[8:]))
	}
	return due, nil
}

func (e *Engine) expireItems() (more bool, err error) {
	now := e.past(0)
	for _, t := range *e.catalog.Load() {
		if t.TTL == "" {
			continue
		}
		var due [][]byte
		err := e.read(func(tx *bbolt.Tx) (err error) {
			due, err = dueItems(tx, t, now)
			return err
		})
		if err != nil {
			return false, err
		}
		if len(due) == 0 {
			continue
		}
		more = more || len(due) == sweepBatch
		err = e.write(func(w *writeTx) error {
			if w.current(t) != nil {
				return nil // the next sweep uses the new definition
			}
			due, err := dueItems(w.tx, t, now)
			if err != nil {
				return err
			}
			for _, key := range due {
				item, size, err := readItem(w.tx, t, key)
				if err != nil {
					return err
				}
				if err := w.replace(t, key, item, nil, size, true); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return more, nil
}
