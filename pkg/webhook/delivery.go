package webhook

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// Status is the status of a delivery.
type Status string

// Statuses of deliveries.
const (
	StatusPending   Status = "pending"   // another attempt follows
	StatusDelivered Status = "delivered" // the receiver responded with 2xx
	StatusDead      Status = "dead"      // all attempts failed, or the endpoint was deleted or is disabled
)

// Delivery is an event for an endpoint.
type Delivery struct {
	EndpointID string    `dynamodbav:"endpointId"`
	Owner      string    `dynamodbav:"owner"`
	EventID    string    `dynamodbav:"eventId"`
	Area       string    `dynamodbav:"area"`
	ItemID     string    `dynamodbav:"itemId"`
	Type       string    `dynamodbav:"type"`       // such as library.completed
	OccurredAt int64     `dynamodbav:"occurredAt"` // epoch milliseconds
	Status     Status    `dynamodbav:"status"`
	NextAt     int64     `dynamodbav:"nextAt,omitempty"`   // of the next attempt, in epoch milliseconds; 0 unless pending
	Failed     int       `dynamodbav:"failed"`             // attempts on the present schedule that failed
	Attempts   []Attempt `dynamodbav:"attempts,omitempty"` // the newest MaxAttempts
	Body       string    `dynamodbav:"body"`               // the payload, which every attempt sends
	RequestID  string    `dynamodbav:"requestId,omitempty"`
	Trace      string    `dynamodbav:"trace,omitempty"` // W3C traceparent of the event
	Version    int64     `dynamodbav:"version"`         // incremented by every write
	ExpiresAt  int64     `dynamodbav:"expiresAt"`       // epoch seconds
}

// Attempt is one request of a delivery.
type Attempt struct {
	At       int64  `dynamodbav:"at"`                 // epoch milliseconds
	MS       int64  `dynamodbav:"ms"`                 // duration
	HTTP     int    `dynamodbav:"http,omitempty"`     // status code of the response; 0 if there was none
	Error    string `dynamodbav:"error,omitempty"`    // why there was no response, for users
	Response string `dynamodbav:"response,omitempty"` // the first MaxResponse bytes of a response other than 2xx
}

// Limits of a delivery.
const (
	Keep        = 30 * 24 * time.Hour // time for which a delivery is listed after its event
	MaxAttempts = 12                  // attempts that are kept
	MaxResponse = 200                 // bytes of a response that are kept
	MaxBody     = 20 << 10            // bytes of a payload
)

// Shards is the number of partitions of pending deliveries.
const Shards = 16

// Shard returns the number of the partition of the pending deliveries of an endpoint.
func Shard(endpointID string) int {
	h := fnv.New32a()
	h.Write([]byte(endpointID))
	return int(h.Sum32() % Shards)
}

// ShardName returns the name of a partition of pending deliveries.
func ShardName(shard int) string { return fmt.Sprintf("%02d", shard) }

// millis is the width of times in keys, which lasts until the year 2286.
const millis = 13

// logKey returns the sort key of a delivery.
func logKey(occurredAt int64, eventID string) string { return stampOf(occurredAt) + "#" + eventID }

// pendingKey returns the sort key of the row of a pending delivery.
func pendingKey(d Delivery) string {
	return d.EndpointID + "#" + stampOf(d.NextAt) + "#" + stampOf(d.OccurredAt) + "#" + d.EventID
}

func stampOf(ms int64) string { return fmt.Sprintf("%0*d", millis, ms) }

// Pending refers to a pending delivery.
type Pending struct {
	EndpointID string
	NextAt     int64 // epoch milliseconds
	OccurredAt int64
	EventID    string
	key        string
}

// parsePending returns the delivery that a row refers to.
func parsePending(key string) (Pending, error) {
	parts := strings.SplitN(key, "#", 4)
	if len(parts) != 4 {
		return Pending{}, fmt.Errorf("%q is not the key of a pending delivery", key)
	}
	p := Pending{EndpointID: parts[0], EventID: parts[3], key: key}
	var err error
	if p.NextAt, err = strconv.ParseInt(parts[1], 10, 64); err == nil {
		p.OccurredAt, err = strconv.ParseInt(parts[2], 10, 64)
	}
	if err != nil {
		return Pending{}, fmt.Errorf("%q is not the key of a pending delivery: %w", key, err)
	}
	return p, nil
}

// timeOf returns the time that an id of an event, or of a message, ends with.
func timeOf(id string) (ms int64, ok bool) {
	end := len(id)
	for end > 0 && id[end-1] >= '0' && id[end-1] <= '9' {
		end--
	}
	ms, err := strconv.ParseInt(id[end:], 10, 64)
	return ms, err == nil && end > 0 && len(id)-end <= millis
}
