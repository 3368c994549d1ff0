package alert_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/feed"
	alerts "github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/query/feed/alert"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

var platformTable = platform.Config{Table: "assay-platform"}

// open creates the tables in a new engine.
func open(t *testing.T) *dynamodb.Client {
	t.Helper()
	db, _ := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, append(feed.Tables(feedtest.Config()), platform.Storage(platformTable).Tables...)); err != nil {
		t.Fatal(err)
	}
	return db
}

// set adds alerts.
func set(t *testing.T, db *dynamodb.Client, all map[string]alerts.Settings) *alerts.Store {
	t.Helper()
	store := alerts.NewStore(platform.NewStore(db, platformTable))
	for name, settings := range all {
		settings.Enabled = true
		settings = settings.WithDefaults()
		if wrong := settings.Check(); len(wrong) > 0 {
			t.Fatalf("%s: %v", name, wrong)
		}
		if _, _, err := store.Put(t.Context(), name, settings, platform.Match{}); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func options(db *dynamodb.Client, now *time.Time) alert.Options {
	return alert.Options{
		DB: db, Platform: platformTable, Dashboard: dashboard.New(db, feedtest.Config()), Log: zerolog.Nop(), Registry: prometheus.NewRegistry(),
		Now: func() time.Time { return *now },
	}
}

// arrival is an item as it appears in the stream of changes.
type arrival struct {
	at   time.Time
	item feed.Item
}

func arrive(n int, at time.Time, text, sentiment, source string, tags ...string) arrival {
	s := feedtest.Submission(n, at, tags...)
	s.Text = text
	if source != "" {
		s.SourceID, s.SourceType, s.Sender = "rss#"+strconv.Itoa(n), "rss", feed.SourceSender(source)
	}
	item := s.Item(at)
	item.Status, item.Sentiment, item.Score, item.ModelVersion = feed.Analyzed, sentiment, 0.9, feed.ModelVersion
	item.Compound = map[string]float64{feed.Positive: 0.6, feed.Negative: -0.6}[sentiment]
	item.AnalyzedAt = at.Add(time.Second).Format(feed.TimeLayout)
	return arrival{at, item}
}

// The alerts of the simulated week, and the events that make them fire, as offsets from the week's beginning.
var (
	weekAlerts = map[string]alerts.Settings{
		"volume":  {Kind: alerts.Volume, Tag: "energy"},
		"mood":    {Kind: alerts.Negative},
		"outage":  {Kind: alerts.Match, Keyword: "blackout", Threshold: 3},
		"wire":    {Kind: alerts.Silent, Source: "wire"},
		"daily":   {Kind: alerts.Silent, Source: "daily"},                           // publishes in the morning only
		"traffic": {Kind: alerts.Volume, MinItems: 100},                             // of all items
		"flu":     {Kind: alerts.Match, Tag: "health", Threshold: 25, Window: "1h"}, // above the busiest hour
	}
	volumeAt  = 3*day + 14*time.Hour + 20*time.Minute
	moodAt    = 4*day + 11*time.Hour + 5*time.Minute
	outageAt  = 5*day + 9*time.Hour + 41*time.Minute
	silenceAt = 6*day + 9*time.Hour + 53*time.Minute + 7*time.Second // the last item of wire
)

const day = 24 * time.Hour

// week returns the items of seven days: more by day than by night, fewer at the weekend, with four events.
func week(start time.Time) []arrival {
	random := rand.New(rand.NewPCG(41, 7))
	texts := []string{
		"Markets are calm and the harbor opens", "A new bridge for the river is planned", "Solar panels on every school roof", "The team wins at home",
		"Visitors praise the old museum", "Rain is expected for the weekend", "The council votes on the budget", "Wind farm starts its turbines",
	}
	tags := []string{"energy", "sport", "health", "city"}
	var all []arrival
	add := func(at time.Duration, text, sentiment, source string, tag ...string) {
		all = append(all, arrive(len(all), start.Add(at), text, sentiment, source, tag...))
	}
	for minute := range 7 * 24 * 60 {
		at := time.Duration(minute) * time.Minute
		hour, rate := minute/60%24, 0.04 // items a minute
		if hour >= 7 && hour < 22 {
			rate = 0.5
		}
		if d := minute / (24 * 60); d == 1 || d == 2 { // a weekend
			rate /= 2
		}
		if random.Float64() < rate {
			sentiment := []string{feed.Positive, feed.Positive, feed.Neutral, feed.Neutral, feed.Negative}[random.IntN(5)]
			add(at+time.Duration(random.IntN(59_000))*time.Millisecond, texts[random.IntN(len(texts))], sentiment, "", tags[random.IntN(len(tags))])
		}
		if minute%10 == 3 && hour >= 6 && hour < 23 && (at <= silenceAt) {
			add(at+7*time.Second, texts[random.IntN(len(texts))], feed.Neutral, "wire", "wire")
		}
		if hour == 6 && minute%60 < 12 {
			add(at+9*time.Second, texts[random.IntN(len(texts))], feed.Neutral, "daily", "daily")
		}
	}
	for n := range 40 {
		add(volumeAt+time.Duration(n)*20*time.Second, "The pipeline leaks near the refinery", feed.Neutral, "", "energy", "pipeline")
	}
	for n := range 60 { // spread, so that the number of items is not unusual
		add(moodAt+time.Duration(n)*20*time.Second, "Angry commuters wait for hours in the heat", feed.Negative, "", "city")
	}
	for n := range 3 {
		add(outageAt+time.Duration(n)*10*time.Second, "Blackout in the north: thousands without light", feed.Neutral, "", "city")
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return a.at.Compare(b.at) })
	return all
}

// reached returns when the items of the last 30 minutes with the tag energy reach the threshold of volume, and when those of the last hour are negative
// enough for mood, as offsets from the beginning of the week.
func reached(start time.Time, changes []fired) (volume, mood time.Duration) {
	threshold := 0.0
	for _, f := range changes {
		var d alert.Data
		if f.name == "volume" && json.Unmarshal([]byte(f.data), &d) == nil && threshold == 0 {
			threshold = d.Threshold
		}
	}
	items := week(start)
	for n, last := range items {
		energy, total, negative := 0, 0, 0
		for _, before := range items[:n+1] {
			age := last.at.Sub(before.at)
			if age < 30*time.Minute && slices.Contains(before.item.MatchedTags, "energy") {
				energy++
			}
			if age < time.Hour {
				total++
				if before.item.Sentiment == feed.Negative {
					negative++
				}
			}
		}
		at := last.at.Sub(start)
		if volume == 0 && threshold > 0 && float64(energy) >= threshold {
			volume = at
		}
		if mood == 0 && total >= 20 && float64(negative) >= 0.6*float64(total) {
			mood = at
		}
	}
	return volume, mood
}

// fired is a change of an alert.
type fired struct {
	name, turn string
	at         time.Duration // since the beginning of the week
	id         string
	data       string
}

// play runs the week minute by minute: the items of each minute are projected, then the alerts are evaluated, in the hours that during selects.
func play(t *testing.T, start time.Time, during func(time.Duration) bool) []fired {
	t.Helper()
	db := open(t)
	set(t, db, weekAlerts)
	now := start
	var all []fired
	o := options(db, &now)
	o.Emit = func(_ context.Context, e webhook.Event) error {
		data, err := json.Marshal(e.Data)
		d, ok := e.Data.(alert.Data)
		if !ok || err != nil {
			return fmt.Errorf("data %T: %w", e.Data, err)
		}
		all = append(all, fired{d.Name, e.Type, now.Sub(start), e.ID, string(data)})
		return nil
	}
	evaluator := alert.New(o)
	items := week(start)
	for now.Before(start.Add(7 * day)) {
		now = now.Add(time.Minute)
		n, _ := slices.BinarySearchFunc(items, now, func(a arrival, at time.Time) int { return a.at.Compare(at) })
		images := make([]dashboard.Image, n)
		for i, a := range items[:n] {
			images[i] = dashboard.Image{Item: a.item}
		}
		items = items[n:]
		if err := o.Dashboard.Apply(t.Context(), images...); err != nil {
			t.Fatal(err)
		}
		if !during(now.Sub(start)) {
			continue
		}
		now = now.Add(10 * time.Second) // the evaluation begins after the minute
		if err := evaluator.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-10 * time.Second)
	}
	return all
}

var full = flag.Bool("week.full", false, "evaluate every minute of the week, and again in the replay: slow with the race detector")

// near reports whether a time is in the hours around an event.
func near(at time.Duration) bool {
	return slices.ContainsFunc([]time.Duration{volumeAt, moodAt, outageAt, silenceAt}, func(event time.Duration) bool {
		return at > event-time.Hour && at < event+3*time.Hour
	})
}

// TestAWeekWithFourEvents: of seven days with quiet nights, a weekend and four events, each event fires its alert within two minutes after
// the items reach its threshold, no other alert fires, and the same hours fire the same again. Without -week.full, the alerts are
// evaluated every minute around the events, and otherwise four times an hour.
func TestAWeekWithFourEvents(t *testing.T) {
	start := time.Now().UTC().Truncate(time.Hour).Add(-7*day + time.Hour) // rows are kept for seven days
	start = start.Truncate(day).Add(day)
	if start.Add(7 * day).After(time.Now().Add(day)) {
		t.Fatalf("the week from %s ends more than a day from now", start)
	}
	var first, again []fired
	t.Run("play", func(t *testing.T) {
		t.Run("the week", func(t *testing.T) {
			t.Parallel()
			first = play(t, start, func(at time.Duration) bool { return *full || near(at) || at%(15*time.Minute) == 0 })
		})
		t.Run("the hours around the events again", func(t *testing.T) {
			t.Parallel()
			again = play(t, start, func(at time.Duration) bool { return *full || near(at) })
		})
	})
	// When the threshold is reached: by the 3rd item with the keyword; after 2 hours without an item of the wire; for volume and
	// mood, by the items of the window, which the evaluation of each minute counts exactly.
	due := map[string]time.Duration{"outage": outageAt + 20*time.Second, "wire": silenceAt + 2*time.Hour}
	due["volume"], due["mood"] = reached(start, first)
	var got []string
	for _, f := range first {
		if f.turn != "feed.alert.firing" {
			continue
		}
		got = append(got, f.name)
		if late := f.at - due[f.name]; late < 0 || late > 2*time.Minute {
			t.Errorf("%s fired at %s, want within two minutes after %s", f.name, f.at, due[f.name])
		}
		t.Logf("%s fired %s after it was due", f.name, f.at-due[f.name])
	}
	if slices.Sort(got); !slices.Equal(got, []string{"mood", "outage", "volume", "wire"}) {
		t.Errorf("%v fired, want mood, outage, volume and wire, once each", got)
	}
	if !slices.Equal(again, first) {
		t.Errorf("replayed: got %v, want %v", again, first)
	}
}
