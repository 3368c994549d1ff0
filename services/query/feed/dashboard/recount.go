package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
)

// recountParallel is the number of hours counted concurrently.
const recountParallel = 8

// recount corrects the counters of the longest window: it compares the minutes with
// the rows of items, then the hours with the minutes. The write of a counter is
// conditional; if the counter changed, recount reads and compares it again.
func (d *Dashboard) recount(ctx context.Context, corrected *atomic.Int64) error {
	w := since(d.now().UTC(), MaxHours)
	for start := w.counted().Truncate(24 * time.Hour); !start.After(w.to); start = start.AddDate(0, 0, 1) {
		scopes := map[string]string{allItems: ""}
		err := d.eachCounter(ctx, span{
			partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: hourPartition, consistent: true,
			from: day(start) + "#", to: day(start) + "#" + atEnd, attributes: []string{feed.AttrIngestedAt},
		}, func(row map[string]types.AttributeValue) error {
			_, scope, err := hoursKey(row)
			scopes[scope] = ""
			return err
		})
		if err != nil {
			return err
		}
		found := make([]map[string]string, 24)
		group, counting := errgroup.WithContext(ctx)
		group.SetLimit(recountParallel)
		for i := range found {
			if hour := start.Add(time.Duration(i) * time.Hour); !hour.Before(w.counted().Truncate(time.Hour)) {
				group.Go(func() (err error) {
					found[i], err = d.recountMinutes(counting, w, hour, scopes, corrected)
					return err
				})
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, more := range found { // of later hours last
			for scope, tag := range more {
				scopes[scope] = cmp.Or(tag, scopes[scope])
			}
		}
		for scope, tag := range scopes {
			if err := d.recountHours(ctx, w, start, scope, tag, corrected); err != nil {
				return err
			}
		}
	}
	return nil
}

// recountMinutes corrects the minutes of an hour for the given scopes and for the scopes
// of the hour's items. It returns all of them, with the spelling of the tags of those items.
func (d *Dashboard) recountMinutes(ctx context.Context, w window, hour time.Time, scopes map[string]string, corrected *atomic.Int64) (map[string]string, error) {
	known := maps.Clone(scopes)
	for range maxTries {
		there, err := d.stored(ctx, slices.Collect(maps.Keys(known)), hour, minutesOf)
		if err != nil {
			return nil, err
		}
		want := map[string]*slots{}
		err = d.each(ctx, span{
			partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: day(hour), from: hour.Format(feed.TimeLayout), to: hour.Add(time.Hour).Format(feed.TimeLayout),
			consistent: true, attributes: []string{attrSentiment, "compound", attrSourceType, attrSource, attrArchive, feed.AttrMatchedTags, feed.AttrIngestedAt},
		}, func(row Row) bool {
			at, err := time.Parse(feed.TimeLayout, row.IngestedAt())
			if row.Sentiment == "" || err != nil {
				return true
			}
			for scope, tag := range row.scopes() {
				if known[scope] == "" { // rows are read newest first
					known[scope] = tag
				}
				if want[scope] == nil {
					want[scope] = &slots{}
				}
				want[scope][at.Minute()].add(row.tally())
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		again := false
		for scope := range known {
			lost, err := d.correctCounter(ctx, minutesOf(scope, hour), "", there[scope], want[scope], func(slot int) bool {
				return slot < 60 && !hour.Add(time.Duration(slot)*time.Minute).Before(w.counted())
			}, corrected)
			if err != nil {
				return nil, err
			}
			again = again || lost
		}
		if !again {
			return known, nil
		}
	}
	return nil, fmt.Errorf("too many concurrent writes to the counters of %s: run the rebuild again", hour.Format(hourLayout))
}

// recountHours corrects the hours of a day for a scope. tag is the spelling of its tag, "" to keep it.
func (d *Dashboard) recountHours(ctx context.Context, w window, start time.Time, scope, tag string, corrected *atomic.Int64) error {
	for range maxTries {
		there, err := d.stored(ctx, []string{scope}, start, hoursOf)
		if err != nil {
			return err
		}
		var want slots
		err = d.eachCounter(ctx, span{
			partition: feed.AttrDayPartition, sort: feed.AttrIngestedAt, in: minutePartition + scope, from: day(start), to: day(start) + atEnd, consistent: true,
		}, func(row map[string]types.AttributeValue) error {
			hour, err := time.Parse(hourLayout, table.TextOf(row[feed.AttrIngestedAt]))
			if err != nil {
				return fmt.Errorf("parse the key of a counter: %w", err)
			}
			minutes, err := parseSlots(row)
			if err != nil {
				return err
			}
			for _, t := range minutes[:daySlot] {
				want[hour.Hour()].add(t)
				want[daySlot].add(t)
			}
			return nil
		})
		if err != nil {
			return err
		}
		lost, err := d.correctCounter(ctx, hoursOf(scope, start), tag, there[scope], &want, func(slot int) bool {
			if !start.After(w.counted()) { // the first day is partial
				return slot < 24 && !start.Add(time.Duration(slot)*time.Hour).Before(w.counted().Truncate(time.Hour))
			}
			return true
		}, corrected)
		if err != nil || !lost {
			return err
		}
	}
	return fmt.Errorf("too many concurrent writes to the counters of %s: run the rebuild again", day(start))
}

// storedCounter is the content of a counter row.
type storedCounter struct {
	slots    slots
	writes   int64
	spelling string
}

// stored reads the counters of scopes with strong consistency, and returns them by scope.
func (d *Dashboard) stored(ctx context.Context, scopes []string, at time.Time, key func(string, time.Time) counter) (map[string]*storedCounter, error) {
	found := map[string]*storedCounter{}
	byKey := map[[2]string]string{}
	var keys []counter
	for _, scope := range scopes {
		c := key(scope, at)
		keys = append(keys, c)
		byKey[[2]string{c.partition, c.sort}] = scope
	}
	err := d.getCounters(ctx, keys, true, nil, func(row map[string]types.AttributeValue) error {
		slots, err := parseSlots(row)
		if err != nil {
			return err
		}
		c := &storedCounter{slots: *slots, spelling: table.TextOf(row[spelling])}
		if n, ok := row[writes].(*types.AttributeValueMemberN); ok {
			if c.writes, err = strconv.ParseInt(n.Value, 10, 64); err != nil {
				return fmt.Errorf("a counter has the invalid number of writes %s", n.Value)
			}
		}
		found[byKey[[2]string{table.TextOf(row[feed.AttrDayPartition]), table.TextOf(row[feed.AttrIngestedAt])}]] = c
		return nil
	})
	return found, err
}

// correctCounter writes a counter if the slots that windows read differ from want, or if it has no spelling although tag is
// not empty.
// It reports lost if the counter changed concurrently.
func (d *Dashboard) correctCounter(ctx context.Context, key counter, tag string, there *storedCounter, want *slots, read func(int) bool, corrected *atomic.Int64) (lost bool, err error) {
	var before storedCounter
	if there != nil {
		before = *there
	}
	after := before.slots
	for i := range after {
		if read(i) {
			after[i] = tally{}
			if want != nil {
				after[i] = want[i]
			}
		}
	}
	if after == before.slots && (tag == "" || before.spelling != "" || there == nil) {
		return false, nil
	}
	unit := "h"
	if key.partition != hourPartition {
		unit = "m"
	}
	row := key.key()
	row[writes], row[feed.AttrExpiresAt] = number(before.writes+1), number(key.expires)
	if tag = cmp.Or(before.spelling, tag); tag != "" {
		row[spelling] = &types.AttributeValueMemberS{Value: tag}
	}
	for i, t := range after {
		slot := fmt.Sprintf("%s%02d", unit, i)
		if i == daySlot {
			slot = dayTotal
		}
		if t != (tally{}) {
			row[slot] = &types.AttributeValueMemberN{Value: t.number()}
		}
	}
	put := &dynamodb.PutItemInput{TableName: &d.table, Item: row, ConditionExpression: aws.String("attribute_not_exists(day_partition)")}
	if there != nil {
		put.ConditionExpression = aws.String("attribute_exists(day_partition) AND attribute_not_exists(writes)")
		if before.writes > 0 {
			put.ConditionExpression = aws.String("writes = :writes")
			put.ExpressionAttributeValues = map[string]types.AttributeValue{":writes": number(before.writes)}
		}
	}
	_, err = d.db.PutItem(ctx, put)
	if _, changed := errors.AsType[*types.ConditionalCheckFailedException](err); changed {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("write the counter %s %s: %w", key.partition, strings.TrimSpace(key.sort), err)
	}
	corrected.Add(1)
	return false, nil
}
