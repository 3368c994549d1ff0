// Package capacity contains what one item of each area costs: its requests, its bytes and the units that DynamoDB
// bills, and the list prices of AWS. It writes the tables of docs/capacity.md. TestCallsOfASmallItem of e2e/operation
// measures the items.
package capacity

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Engines, the first word of the name of a call.
const (
	DynamoDB = "dynamodb"
	S3       = "s3"
	NATS     = "nats"
)

// Ack is the call that ends the work of a message.
const Ack = "nats ack"

// Usage is what one or more items have used.
type Usage struct {
	// Calls counts requests by engine and kind, such as "s3 PUT" or "dynamodb GetItem".
	Calls map[string]int
	// Bytes contains, by engine, the bytes of requests and responses without the headers of HTTP. Those of NATS
	// include headers and deliveries.
	Bytes                 map[string]int64
	WriteUnits, ReadUnits float64 // request units of DynamoDB on demand
}

// NewUsage returns an empty Usage.
func NewUsage() Usage { return Usage{Calls: map[string]int{}, Bytes: map[string]int64{}} }

// Units returns the capacity that a response of DynamoDB states. It is 0 for the response to a failed request.
func Units(response []byte) (float64, error) {
	type consumed struct{ CapacityUnits float64 }
	var single struct{ ConsumedCapacity consumed }
	var list struct{ ConsumedCapacity []consumed }
	if json.Unmarshal(response, &single) == nil {
		return single.ConsumedCapacity.CapacityUnits, nil
	}
	if err := json.Unmarshal(response, &list); err != nil {
		return 0, fmt.Errorf("consumed capacity: %w", err)
	}
	units := 0.0
	for _, one := range list.ConsumedCapacity {
		units += one.CapacityUnits
	}
	return units, nil
}

// Reads reports whether an operation of DynamoDB consumes read units.
func Reads(operation string) bool {
	return slices.Contains([]string{"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"}, operation)
}

// tolerance is how much the bytes may differ, relative to those of the item: the lengths of ids and numbers vary.
const tolerance = 0.1

// Differences describes how the usage of a number of items differs from that of this item.
func (i Item) Differences(used Usage, items int) []string {
	var all []string
	names := maps.Clone(i.Calls)
	maps.Copy(names, used.Calls)
	for _, call := range slices.Sorted(maps.Keys(names)) {
		if used.Calls[call] != i.Calls[call]*items {
			all = append(all, fmt.Sprintf("%d items made %d calls of %s, want %d per item; if they are needed, change Items with the reason",
				items, used.Calls[call], call, i.Calls[call]))
		}
	}
	for _, engine := range []string{DynamoDB, S3, NATS} {
		got, want := float64(used.Bytes[engine])/float64(items), float64(i.Bytes[engine])
		if math.Abs(got-want) > tolerance*want {
			all = append(all, fmt.Sprintf("%.0f bytes to and from %s per item, want %.0f", got, engine, want))
		}
	}
	for kind, units := range map[string][2]float64{"write": {used.WriteUnits, i.WriteUnits}, "read": {used.ReadUnits, i.ReadUnits}} {
		if got := units[0] / float64(items); got != units[1] {
			all = append(all, fmt.Sprintf("%g %s units per item, want %g", got, kind, units[1]))
		}
	}
	return all
}

// count returns the number of calls of an engine, of the given kinds if any.
func (u Usage) count(engine string, kinds ...string) int {
	n := 0
	for call, times := range u.Calls {
		of, kind, _ := strings.Cut(call, " ")
		if of == engine && (len(kinds) == 0 || slices.Contains(kinds, kind)) {
			n += times
		}
	}
	return n
}
