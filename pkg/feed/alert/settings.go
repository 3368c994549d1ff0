// Package alert describes the alerts of the feed: what operators set, the state of each alert, and how the state follows
// from the counts of the dashboard. The evaluation has no side effects and does not read the clock, so the same counts
// always give the same states.
package alert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/tag"
)

// Kinds of alerts.
const (
	Match    = "match"    // items with a tag, a keyword or a source
	Volume   = "volume"   // more items than usual
	Negative = "negative" // a large share of negative items
	Silent   = "silent"   // no items for some time
)

// Limits of settings.
const (
	MaxAlerts  = 100 // every minute all of them are evaluated
	maxKeyword = 100 // characters
	minWindow  = time.Minute
	maxWindow  = 24 * time.Hour
	// MaxSilence is the longest window of an alert on silence.
	MaxSilence  = 72 * time.Hour
	maxAfter    = 24 * time.Hour
	maxItems    = 1_000_000
	resolvePart = 0.8 // of the threshold: the default of Resolve
)

// Settings are the settings of an alert, as edited by operators. An alert considers all items, or those with all given
// properties; archived items never count. Times are whole minutes.
type Settings struct {
	Kind       string `json:"kind" enum:"match,volume,negative,silent" doc:"match: at least threshold items in the window; volume: more items in the window than threshold times the usual number; negative: at least this share of the items in the window is negative; silent: no item during the window, although items are usual"`
	Enabled    bool   `json:"enabled"`
	Tag        string `json:"tag,omitempty" maxLength:"50" doc:"only items with this tag, regardless of case. At most one of tag, source and sourceType can be set"`
	Source     string `json:"source,omitempty" maxLength:"64" doc:"only items of the feed source with this name"`
	SourceType string `json:"sourceType,omitempty" enum:"newsapi,twitter,reddit,rss" doc:"only items of this source type"`
	Keyword    string `json:"keyword,omitempty" maxLength:"100" doc:"match: only items whose textSnippet contains this word or phrase, regardless of case"`
	Window     string `json:"window,omitempty" doc:"the time that is considered, in whole minutes, at most 24h, or 72h for silent; default: 15m for match, 30m for volume, 1h for negative, 2h for silent" example:"30m"`
	// Threshold is in the unit of the kind; see the documentation of the field.
	Threshold    float64 `json:"threshold,omitempty" minimum:"0" doc:"match: a number of items, default 1; volume: a factor, default 3; negative: a share from 0 to 1, default 0.6; not for silent"`
	MinItems     int     `json:"minItems,omitempty" minimum:"0" maximum:"1000000" doc:"volume and negative: the alert does not fire with fewer items in the window, default 20; silent: it does not fire while fewer items are usual in the time without items, default 5"`
	Resolve      float64 `json:"resolve,omitempty" minimum:"0" doc:"the alert resolves below this value, in the unit of threshold; default: 0.8 times threshold; not for silent"`
	FireAfter    string  `json:"fireAfter,omitempty" doc:"how long the threshold must be reached before the alert fires; default: 0s" example:"5m"`
	ResolveAfter string  `json:"resolveAfter,omitempty" doc:"how long the value must be below resolve before the alert resolves; default: 5m" example:"5m"`
}

// Violation is an invalid setting.
type Violation struct{ Field, Message string }

// WithDefaults sets defaults for omitted settings and normalizes the others.
func (s Settings) WithDefaults() Settings {
	s.Tag, s.Keyword = feed.Tag(s.Tag), strings.Join(strings.Fields(s.Keyword), " ")
	switch s.Kind {
	case Match:
		s.Window, s.Threshold = cmp.Or(s.Window, "15m"), cmp.Or(s.Threshold, 1)
	case Volume:
		s.Window, s.Threshold, s.MinItems = cmp.Or(s.Window, "30m"), cmp.Or(s.Threshold, 3), cmp.Or(s.MinItems, 20)
	case Negative:
		s.Window, s.Threshold, s.MinItems = cmp.Or(s.Window, "1h"), cmp.Or(s.Threshold, 0.6), cmp.Or(s.MinItems, 20)
	case Silent:
		s.Window, s.MinItems = cmp.Or(s.Window, "2h"), cmp.Or(s.MinItems, 5)
	}
	s.Resolve = cmp.Or(s.Resolve, round(resolvePart*s.Threshold))
	s.FireAfter, s.ResolveAfter = cmp.Or(s.FireAfter, "0s"), cmp.Or(s.ResolveAfter, "5m")
	return s
}

// Check returns the errors in settings to which defaults were applied.
func (s Settings) Check() []Violation {
	var found []Violation
	wrong := func(field, format string, args ...any) {
		found = append(found, Violation{field, fmt.Sprintf(format, args...)})
	}
	if !slices.Contains([]string{Match, Volume, Negative, Silent}, s.Kind) {
		wrong("kind", "is not match, volume, negative or silent")
		return found
	}
	scopes := 0
	for _, set := range []string{s.Tag, s.Source, s.SourceType} {
		if set != "" {
			scopes++
		}
	}
	if scopes > 1 {
		wrong("tag", "is not the only one of tag, source and sourceType")
	}
	if s.Tag != "" && (utf8.RuneCountInString(s.Tag) > feed.MaxTag || strings.ContainsFunc(s.Tag, tag.Invisible)) {
		wrong("tag", "is not a tag of at most %d characters", feed.MaxTag)
	}
	switch {
	case s.Keyword != "" && s.Kind != Match:
		wrong("keyword", "applies only to alerts of kind match")
	case utf8.RuneCountInString(s.Keyword) > maxKeyword || strings.ContainsFunc(s.Keyword, tag.Invisible):
		wrong("keyword", "is not a word or phrase of at most %d characters", maxKeyword)
	case s.Kind == Match && s.Keyword == "" && scopes == 0:
		wrong("keyword", "is missing; an alert of kind match needs a keyword, a tag, a source or a sourceType")
	}
	longest := maxWindow
	if s.Kind == Silent {
		longest = MaxSilence
	}
	if d, err := time.ParseDuration(s.Window); err != nil || d < minWindow || d > longest || d%time.Minute != 0 {
		wrong("window", "is not a duration in whole minutes between 1m and %dh, such as 30m", int(longest.Hours()))
	}
	for field, text := range map[string]string{"fireAfter": s.FireAfter, "resolveAfter": s.ResolveAfter} {
		if d, err := time.ParseDuration(text); err != nil || d < 0 || d > maxAfter || d%time.Minute != 0 {
			wrong(field, "is not a duration in whole minutes between 0s and %dh, such as 5m", int(maxAfter.Hours()))
		}
	}
	if s.MinItems < 0 || s.MinItems > maxItems {
		wrong("minItems", "is not between 1 and %d", maxItems)
	}
	s.checkThreshold(wrong)
	slices.SortFunc(found, func(a, b Violation) int { return cmp.Compare(a.Field, b.Field) })
	return found
}

func (s Settings) checkThreshold(wrong func(field, format string, args ...any)) {
	switch {
	case s.Kind == Match && (s.Threshold < 1 || s.Threshold > maxItems || s.Threshold != float64(int(s.Threshold))):
		wrong("threshold", "is not a whole number of items from 1 to %d", maxItems)
	case s.Kind == Volume && (s.Threshold <= 1 || s.Threshold > 1000):
		wrong("threshold", "is not a factor above 1 and up to 1000")
	case s.Kind == Negative && (s.Threshold <= 0 || s.Threshold > 1):
		wrong("threshold", "is not a share above 0 and up to 1")
	case s.Kind == Silent && s.Threshold != 0:
		wrong("threshold", "does not apply to alerts of kind silent; window is the time without items")
	case s.Kind == Match && s.MinItems != 0:
		wrong("minItems", "does not apply to alerts of kind match; threshold is the number of items")
	}
	if s.Kind == Silent && s.Resolve != 0 {
		wrong("resolve", "does not apply to alerts of kind silent, which resolve with the next item")
	} else if s.Resolve < 0 || s.Resolve > s.Threshold {
		wrong("resolve", "is not between 0 and threshold")
	}
}

// Span returns Window as a duration. The settings must be valid.
func (s Settings) Span() time.Duration { return duration(s.Window) }

func duration(text string) time.Duration {
	d, _ := time.ParseDuration(text)
	return d
}

// sameItems reports whether two alerts evaluate the same items in the same way, so that the state of one continues for the
// other.
func (s Settings) sameItems(other Settings) bool {
	return s.Kind == other.Kind && feed.FoldTag(s.Tag) == feed.FoldTag(other.Tag) && s.Source == other.Source && s.SourceType == other.SourceType && s.Keyword == other.Keyword
}

// Alert is a stored alert.
type Alert struct {
	Name     string   `json:"name"`
	Revision int64    `json:"-"` // of the settings, from 1
	Settings Settings `json:"settings"`
	// Deleted is set instead of removing the alert, so that a firing one resolves.
	Deleted bool `json:"deleted,omitempty"`
}

// Active reports whether the alert is evaluated.
func (a Alert) Active() bool { return !a.Deleted && a.Settings.Enabled }
