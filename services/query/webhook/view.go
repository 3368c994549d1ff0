package webhook

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
)

// deliveryView is a delivery as the API shows it.
type deliveryView struct {
	ID        string          `json:"id" doc:"webhook-id of the requests"`
	EventID   string          `json:"eventId" doc:"id of the event on NATS"`
	Type      string          `json:"type"`
	Area      string          `json:"area"`
	ItemID    string          `json:"itemId,omitempty"`
	Status    string          `json:"status" enum:"pending,delivered,dead" doc:"dead: all attempts failed, or the endpoint was disabled; replay it to send it again"`
	Timestamp time.Time       `json:"timestamp" doc:"when the event happened"`
	Next      time.Time       `json:"nextAttempt,omitzero"`
	Attempts  []attemptView   `json:"attempts" nullable:"false" doc:"the newest 12"`
	Payload   json.RawMessage `json:"payload" doc:"body of the requests"`
}

// attemptView is one request.
type attemptView struct {
	At       time.Time `json:"at"`
	Duration int64     `json:"durationMs"`
	Status   int       `json:"httpStatus,omitempty" doc:"absent if there was no response"`
	Error    string    `json:"error,omitempty" doc:"why there was no response"`
	Response string    `json:"response,omitempty" doc:"the first 200 bytes of a response other than 2xx"`
}

func view(d webhook.Delivery) deliveryView {
	v := deliveryView{
		ID: webhook.MessageID(d.EventID), EventID: d.EventID, Type: d.Type, Area: d.Area, ItemID: d.ItemID, Status: string(d.Status),
		Timestamp: time.UnixMilli(d.OccurredAt).UTC(), Payload: json.RawMessage(d.Body),
		Attempts: web.Views(d.Attempts, func(a webhook.Attempt) attemptView {
			return attemptView{time.UnixMilli(a.At).UTC(), a.MS, a.HTTP, a.Error, a.Response}
		}),
	}
	if d.NextAt > 0 {
		v.Next = time.UnixMilli(d.NextAt).UTC()
	}
	return v
}

// testData is the data of the payload of webhook.test.
type testData struct {
	EventID  string `json:"eventId"`
	Endpoint string `json:"endpoint"` // id
}

// testEvent returns the event that a test call sends.
func testEvent(e webhook.Endpoint, now time.Time) webhook.Event {
	at := now.UTC().Truncate(time.Millisecond)
	id := fmt.Sprintf("webhook.test/%s/%d", e.ID, at.UnixMilli())
	return webhook.Event{ID: id, Type: "webhook.test", Area: webhook.Area, Owner: e.Owner, At: at, Data: testData{id, e.ID}}
}
