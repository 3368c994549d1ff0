package dashboard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"

	"github.com/assay-project/assay/pkg/feed"
)

// Counters are rows of the dashboard table beside those of items. They change in
// the transactions that change those (Apply), and so are the sums of them at any
// moment, of all items and of each tag's:
//
//	         day_partition         ingested_at             attributes
//	minutes  minutes#all           2025-11-16T14           m07, of each minute of the hour
//	         minutes#tag#AI        2025-11-16T14
//	hours    hours                 2025-11-16#all          h14, of each hour of the day,
//	                               2025-11-16#tag#AI       and whole, of the day
//
// A slot that is not there is 0 (see tally for what it holds). writes grows with
// every change, so that a recount can tell that it was not alone.
//
// A counter expires with the last item that it can count. Before that TTL takes
// items away that it has counted; those are in a minute, or in a day before an
// hour, that no window reads from a counter any more.
const (
	minutePartition = "minutes#"
	hourPartition   = "hours"
	allItems        = "all"
	tagPrefix       = "tag#"
	writes          = "writes"
	hourLayout      = "2006-01-02T15"
	wholeDay        = "whole"
)

// counter is the key of a counter's row, and when it expires.
type counter struct {
	partition, sort string
	expires         int64 // epoch seconds
}

func (c counter) key() table.Key { return rowKey(Row{DayPartition: c.partition, SortKey: c.sort}) }

// of names the items with a tag, or all for none.
func of(tag string) string {
	if tag == "" {
		return allItems
	}
	return tagPrefix + tag
}

// minutesOf is the counter of the minutes of an hour.
func minutesOf(who string, at time.Time) counter {
	hour := at.UTC().Truncate(time.Hour)
	return counter{minutePartition + who, hour.Format(hourLayout), hour.Add(time.Hour + feed.Retention).Unix()}
}

// hoursOf is the counter of the hours of a day.
func hoursOf(who string, at time.Time) counter {
	start := at.UTC().Truncate(24 * time.Hour)
	return counter{hourPartition, day(start) + "#" + who, start.Add(24*time.Hour + feed.Retention).Unix()}
}

// counts are what is added to the slots of counters.
type counts map[counter]map[string]tally

func (c counts) bump(key counter, slot string, t tally) {
	if c[key] == nil {
		c[key] = map[string]tally{}
	}
	sum := c[key][slot]
	sum.add(t)
	if c[key][slot] = sum; sum == (tally{}) {
		if delete(c[key], slot); len(c[key]) == 0 {
			delete(c, key)
		}
	}
}

// add counts a base row, or takes it back.
func (c counts) add(row Row, back bool) error {
	at, err := time.Parse(feed.TimeLayout, row.IngestedAt())
	if err != nil {
		return fmt.Errorf("the time of %s: %w", row.SourceID, err)
	}
	t := row.tally()
	if back {
		t = tally{Counts{-t.Positive, -t.Neutral, -t.Negative}, -t.compound}
	}
	for _, tag := range append([]string{""}, row.MatchedTags...) {
		c.bump(minutesOf(of(tag), at), at.Format("m04"), t)
		c.bump(hoursOf(of(tag), at), at.Format("h15"), t)
		c.bump(hoursOf(of(tag), at), wholeDay, t)
	}
	return nil
}

// updates are the actions that add c, none for what comes to nothing.
func (c counts) updates(name string) []types.TransactWriteItem {
	keys := slices.SortedFunc(maps.Keys(c), func(a, b counter) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.sort, b.sort))
	})
	actions := make([]types.TransactWriteItem, 0, len(keys))
	for _, key := range keys {
		adds := []string{writes + " :one"}
		given := map[string]types.AttributeValue{":one": number(1), ":expires": number(key.expires)}
		for slot, t := range c[key] {
			adds = append(adds, slot+" :"+slot)
			given[":"+slot] = &types.AttributeValueMemberN{Value: t.number()}
		}
		actions = append(actions, types.TransactWriteItem{Update: &types.Update{
			TableName: &name, Key: key.key(), ExpressionAttributeValues: given,
			UpdateExpression: aws.String("ADD " + strings.Join(adds, ", ") + " SET expires_at = :expires"),
		}})
	}
	return actions
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
