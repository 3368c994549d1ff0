package feed

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
)

// Counters are rows of the dashboard table beside those of items. They change in
// the transactions that change those (Apply), and so are the sums of them at any
// moment, of all items and of each tag's:
//
//	         day_partition         ingested_at             attributes
//	minutes  minutes#all           2025-11-16T14           p07 u07 n07 c07, of each minute of the hour
//	         minutes#tag#AI        2025-11-16T14
//	hours    hours                 2025-11-16#all          p14 u14 n14 c14, of each hour of the day,
//	                               2025-11-16#tag#AI       and p u n c, of the whole day
//
// p, u and n count the positive, the neutral (neither) and the negative items, c
// is the sum of their compounds in units of 0.0001, which is exact. What is not
// there is 0. writes grows with every change, so that a recount can tell that it
// was not alone.
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
	return counter{minutePartition + who, hour.Format(hourLayout), hour.Add(time.Hour + Retention).Unix()}
}

// hoursOf is the counter of the hours of a day.
func hoursOf(who string, at time.Time) counter {
	start := at.UTC().Truncate(24 * time.Hour)
	return counter{hourPartition, day(start) + "#" + who, start.Add(24*time.Hour + Retention).Unix()}
}

// counts are what is added to counters, by their attributes.
type counts map[counter]map[string]int64

func (c counts) bump(key counter, slot string, n int64) {
	if c[key] == nil {
		c[key] = map[string]int64{}
	}
	if c[key][slot] += n; c[key][slot] == 0 {
		if delete(c[key], slot); len(c[key]) == 0 {
			delete(c, key)
		}
	}
}

// add counts a base row sign times.
func (c counts) add(row Row, sign int64) error {
	at, err := time.Parse(TimeLayout, row.IngestedAt())
	if err != nil {
		return fmt.Errorf("the time of %s: %w", row.SourceID, err)
	}
	minute, hour := at.Format("04"), at.Format("15")
	kind, compound := letter(row.Sentiment), sign*units(row.Compound)
	for _, tag := range append([]string{""}, row.MatchedTags...) {
		for _, slot := range []struct {
			key counter
			of  string
		}{{minutesOf(of(tag), at), minute}, {hoursOf(of(tag), at), hour}, {hoursOf(of(tag), at), ""}} {
			c.bump(slot.key, kind+slot.of, sign)
			c.bump(slot.key, "c"+slot.of, compound)
		}
	}
	return nil
}

func letter(sentiment string) string {
	switch sentiment {
	case Positive:
		return "p"
	case Negative:
		return "n"
	}
	return "u"
}

func units(compound float64) int64 { return int64(math.Round(compound * 1e4)) }

// updates are the actions that add c, none for what comes to nothing.
func (c counts) updates(name string) []types.TransactWriteItem {
	keys := slices.SortedFunc(maps.Keys(c), func(a, b counter) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.sort, b.sort))
	})
	actions := make([]types.TransactWriteItem, 0, len(keys))
	for _, key := range keys {
		adds := []string{writes + " :one"}
		given := map[string]types.AttributeValue{":one": number(1), ":expires": number(key.expires)}
		for slot, n := range c[key] {
			adds = append(adds, slot+" :"+slot)
			given[":"+slot] = number(n)
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

// tally is what is counted.
type tally struct {
	Counts
	compound int64 // in units of 0.0001
}

func (t *tally) items() int { return t.Positive + t.Neutral + t.Negative }

func (t *tally) add(other tally) {
	t.Positive += other.Positive
	t.Neutral += other.Neutral
	t.Negative += other.Negative
	t.compound += other.compound
}

// slots are the numbers of a counter's row: those of each minute or hour, and at
// whole those of a day.
type slots [whole + 1]tally

const whole = 60

// parseSlots passes over attributes that are no slot.
func parseSlots(row map[string]types.AttributeValue) (*slots, error) {
	var found slots
	for name, value := range row {
		n, ok := value.(*types.AttributeValueMemberN)
		if !ok || len(name) != 1 && len(name) != 3 {
			continue
		}
		slot := whole
		count, err := strconv.ParseInt(n.Value, 10, 64)
		if len(name) == 3 && err == nil {
			slot, err = strconv.Atoi(name[1:])
		}
		if err != nil || slot < 0 || slot > whole {
			return nil, fmt.Errorf("a counter has %s %s", name, n.Value)
		}
		t := &found[slot]
		switch name[0] {
		case 'p':
			t.Positive = int(count)
		case 'u':
			t.Neutral = int(count)
		case 'n':
			t.Negative = int(count)
		case 'c':
			t.compound = count
		}
	}
	return &found, nil
}
