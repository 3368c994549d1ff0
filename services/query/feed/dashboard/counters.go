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

// Counters are rows of the dashboard table that count items: all of them, those of each
// source type, those of each feed source, and those of each tag. They change in the same transactions as the rows of items (see
// Apply), so they are always exact:
//
//	         day_partition         ingested_at             attributes
//	minutes  minutes#all           2025-11-16T14           m07, of each minute of the hour
//	         minutes#tag#AI        2025-11-16T14
//	hours    hours                 2025-11-16#all          h14, of each hour of the day,
//	                               2025-11-16#tag#AI       and dayTotal
//
// The counters of a source type have source#rss in place of tag#AI, those of a feed source feed#<name>.
//
// Tags are folded (see feed.FoldTag); the attribute spelling of a tag's hours is the last form in which it was given.
// Items of an archive are not counted.
//
// A missing slot is 0; tally describes the values. The attribute writes grows with
// every change, so that a recount detects concurrent writes.
//
// The minutes expire with the last item that they can count. TTL removes items earlier
// without subtracting them, but only items in slots that are outside all windows of minutes.
// The hours are kept for MaxDays. An item that is deleted after its rows have expired is not subtracted.
const (
	minutePartition = "minutes#"
	hourPartition   = "hours"
	allItems        = "all"
	tagPrefix       = "tag#"
	sourcePrefix    = "source#" // of source types
	feedPrefix      = "feed#"   // of feed sources
	writes          = "writes"
	hourLayout      = "2006-01-02T15"
	dayTotal        = "dayTotal"
	spelling        = "spelling"
)

// MaxDays is the number of days for which the counters of hours are kept.
const MaxDays = 400

// counter is the key and the expiry of a counter row.
type counter struct {
	partition, sort string
	expires         int64 // epoch seconds
}

func (c counter) key() table.Key { return rowKey(Row{DayPartition: c.partition, SortKey: c.sort}) }

// scopeOf returns the name of a counter's scope: the items with a tag, or all if tag
// is empty.
func scopeOf(tag string) string {
	if tag == "" {
		return allItems
	}
	return tagPrefix + feed.FoldTag(tag)
}

// scopes returns the names of the scopes in which a base row is counted, with the spelling of those of tags.
func (r Row) scopes() map[string]string {
	if r.Archive {
		return nil
	}
	scopes := map[string]string{allItems: "", sourcePrefix + r.SourceType: ""}
	if r.Source != "" {
		scopes[feedPrefix+r.Source] = ""
	}
	for _, tag := range r.MatchedTags {
		scopes[scopeOf(tag)] = tag
	}
	return scopes
}

// minutesOf returns the counter of the minutes of an hour.
func minutesOf(scope string, at time.Time) counter {
	hour := at.UTC().Truncate(time.Hour)
	return counter{minutePartition + scope, hour.Format(hourLayout), hour.Add(time.Hour + feed.Retention).Unix()}
}

// hoursOf returns the counter of the hours of a day.
func hoursOf(scope string, at time.Time) counter {
	start := at.UTC().Truncate(24 * time.Hour)
	return counter{hourPartition, day(start) + "#" + scope, start.AddDate(0, 0, 1+MaxDays).Unix()}
}

// counts contains the changes of counters.
type counts map[counter]*amounts

// amounts is the change of a counter: what to add to its slots, and the spelling of its tag, "" to keep it.
type amounts struct {
	slots    map[string]tally
	spelling string
}

func (c counts) bump(key counter, spelling, slot string, t tally) {
	if c[key] == nil {
		c[key] = &amounts{slots: map[string]tally{}}
	}
	slots := c[key].slots
	sum := slots[slot]
	sum.add(t)
	if slots[slot] = sum; sum == (tally{}) {
		if delete(slots, slot); len(slots) == 0 {
			delete(c, key)
			return
		}
	}
	if spelling != "" {
		c[key].spelling = spelling
	}
}

// add adds a base row to the counts or, with undo, subtracts it.
func (c counts) add(row Row, undo bool) error {
	at, err := time.Parse(feed.TimeLayout, row.IngestedAt())
	if err != nil {
		return fmt.Errorf("parse the ingestion time of %s: %w", row.SourceID, err)
	}
	t := row.tally()
	if undo {
		t = tally{Counts{-t.Positive, -t.Neutral, -t.Negative}, -t.compound}
	}
	for scope, tag := range row.scopes() {
		if undo {
			tag = ""
		}
		c.bump(minutesOf(scope, at), "", at.Format("m04"), t)
		c.bump(hoursOf(scope, at), tag, at.Format("h15"), t)
		c.bump(hoursOf(scope, at), tag, dayTotal, t)
	}
	return nil
}

// updates returns the actions that add c to the counters.
func (c counts) updates(name string) []types.TransactWriteItem {
	keys := slices.SortedFunc(maps.Keys(c), func(a, b counter) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.sort, b.sort))
	})
	actions := make([]types.TransactWriteItem, 0, len(keys))
	for _, key := range keys {
		adds := []string{writes + " :one"}
		given := map[string]types.AttributeValue{":one": number(1), ":expires": number(key.expires)}
		set := " SET expires_at = :expires"
		if tag := c[key].spelling; tag != "" {
			set += ", " + spelling + " = :" + spelling
			given[":"+spelling] = &types.AttributeValueMemberS{Value: tag}
		}
		for slot, t := range c[key].slots {
			adds = append(adds, slot+" :"+slot)
			given[":"+slot] = &types.AttributeValueMemberN{Value: t.number()}
		}
		actions = append(actions, types.TransactWriteItem{Update: &types.Update{
			TableName: &name, Key: key.key(), ExpressionAttributeValues: given,
			UpdateExpression: aws.String("ADD " + strings.Join(adds, ", ") + set),
		}})
	}
	return actions
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
