package alert

import (
	"fmt"
	"time"
)

// Statuses of a State.
const (
	OK     = "ok"
	Firing = "firing"
)

// State is the state of an alert after an evaluation.
type State struct {
	Status string    `json:"status"`
	Since  time.Time `json:"since"` // when the status began, to the minute
	// At is the end of the last evaluated window.
	At time.Time `json:"at"`
	// Value is compared with Limit: a number of items for match and volume, a share for negative, a number of minutes for silent.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	// Count is the number of items in the window.
	Count int `json:"count"`
	// Usual is the number of items that are usual in the window, or for silent in the time without items. It is nil if it is
	// not known or does not matter.
	Usual *float64 `json:"usual,omitempty"`
	// Waiting states why the alert cannot fire yet or was not evaluated. It is empty otherwise.
	Waiting string `json:"waiting,omitempty"`
	// Cause is what made the alert fire. It remains until the alert fires again.
	Cause Cause `json:"cause,omitzero"`

	Turning time.Time `json:"turning,omitzero"` // since when the value is beyond the bound of the other status
	Watched time.Time `json:"watched"`          // since when the alert is evaluated without a gap
	Last    time.Time `json:"last,omitzero"`    // the end of the last minute with items since Watched
	// Settings and Revision are those of the last evaluation.
	Settings Settings `json:"settings"`
	Revision int64    `json:"revision"`
	// Notified reports whether the event of the status was sent.
	Notified bool `json:"notified"`
}

// Cause contains the items and words that made an alert fire.
type Cause struct {
	Items []CauseItem `json:"items,omitempty" doc:"at most 5 with different texts: for match the newest, for volume those with the most outstanding words, for negative the most negative, for silent the last before the silence"`
	Words []CauseWord `json:"words,omitempty" doc:"at most 10 words that are more frequent in the window than in the day before, most outstanding first"`
}

// CauseItem is an item of a Cause.
type CauseItem struct {
	ID         string `json:"id"`
	Text       string `json:"text" doc:"the first 200 characters of the text"`
	URL        string `json:"url,omitempty" format:"uri"`
	IngestedAt string `json:"ingestedAt" format:"date-time"`
	Sentiment  string `json:"sentiment" enum:"positive,neutral,negative"`
}

// CauseWord is a word of a Cause.
type CauseWord struct {
	Word  string `json:"word"`
	Count int    `json:"count" doc:"the number of items in the window that contain the word in their textSnippet"`
}

// EventID returns the id of the event of the status: feed.alert/<name>/<firing or resolved>/<epoch ms of Since>.
func (s State) EventID(name string) string {
	return fmt.Sprintf("feed.alert/%s/%s/%d", name, s.Turn(), s.Since.UnixMilli())
}

// Turn returns firing or resolved.
func (s State) Turn() string {
	if s.Status == Firing {
		return Firing
	}
	return resolved
}

const resolved = "resolved"

// Turns returns all values of State.Turn.
func Turns() []string { return []string{Firing, resolved} }
