package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/assay-project/assay/pkg/event"
)

// Subject filters of the events of one kind.
const (
	TagSubjects   = "assay.saved.tags.>"
	MatchSubjects = "assay.saved.match.>"
	MoveSubjects  = "assay.saved.moved.>"
)

// NewTagsChanged returns the event for d. Every call that changes tags has an event of its own.
func NewTagsChanged(d *event.TagsChanged) event.Event {
	what := fmt.Sprintf("%s +%s -%s", d.OwnerId, strings.Join(d.Added, "\x00"), strings.Join(d.Removed, "\x00"))
	return about("tags", d.Area, d.Id, d.OwnerId, what, d.ChangedAt.AsTime(), d)
}

// NewMoved returns the event that an item of an owner, which has ended, has another name or folder because of e, an event of its area.
func NewMoved(area string, e event.Event) event.Event {
	return about("moved", area, e.Item, e.Owner, e.ID, e.Time, e.Data)
}

// MovedArea returns the area in the subject of an event that NewMoved returned.
func MovedArea(subject string) string {
	area, _, _ := strings.Cut(strings.TrimPrefix(subject, strings.TrimSuffix(MoveSubjects, ">")), ".")
	return area
}

// NewSearchMatched returns the event for d. Its id depends on that of the event because of which the item matches.
func NewSearchMatched(cause string, d *event.SearchMatched) event.Event {
	return about("match", d.Area, d.Id, d.OwnerId, d.OwnerId+" "+cause, d.MatchedAt.AsTime(), d)
}

// NewRuleNotified returns the event for d. Its id depends on that of the event because of which the rule acts.
func NewRuleNotified(cause string, d *event.RuleNotified) event.Event {
	return about("notice", d.Area, d.Id, d.OwnerId, strings.Join([]string{d.OwnerId, d.Rule, d.Message, cause}, " "), d.NotifiedAt.AsTime(), d)
}

// ReadEvent decodes the data of an event of a type: a *event.TagsChanged, *event.SearchMatched or *event.RuleNotified. It returns
// nil for other types.
func ReadEvent(kind string, data []byte) (proto.Message, error) {
	for _, d := range []proto.Message{&event.TagsChanged{}, &event.SearchMatched{}, &event.RuleNotified{}} {
		if kind == string(proto.MessageName(d)) {
			return d, event.Unmarshal(data, d)
		}
	}
	return nil, nil
}

// about returns an event with the id saved.<kind>/<area>/<id>/<hash of what>/<ms>.
func about(kind, area, id, owner, what string, at time.Time, d proto.Message) event.Event {
	hash := sha256.Sum256([]byte(what))
	return event.Event{
		ID:      fmt.Sprintf("saved.%s/%s/%s/%s/%d", kind, area, id, hex.EncodeToString(hash[:8]), at.UnixMilli()),
		Subject: "assay.saved." + kind + "." + area + "." + id,
		Item:    id, Owner: owner, Time: at, Data: d,
	}
}
