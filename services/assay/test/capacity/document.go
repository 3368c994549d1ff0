package capacity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// RequestTable returns the table of the requests of each item, in Markdown.
func RequestTable() string {
	var b strings.Builder
	b.WriteString("|one item|DynamoDB|write units|of query|read units|S3|NATS|bytes DynamoDB|bytes S3|bytes NATS|\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, i := range Items {
		fmt.Fprintf(&b, "|%s: %s|%s|%g|%g|%g|%s|%s|%d|%d|%d|\n", i.Name, i.What, i.list(DynamoDB), i.WriteUnits, i.Projection, i.ReadUnits, i.list(S3), i.list(NATS),
			i.Bytes[DynamoDB], i.Bytes[S3], i.Bytes[NATS])
	}
	return b.String()
}

// list returns the calls of an engine, such as "3 TransactWriteItems, 1 GetItem".
func (u Usage) list(engine string) string {
	var all []string
	for _, call := range slices.Sorted(maps.Keys(u.Calls)) {
		if of, kind, _ := strings.Cut(call, " "); of == engine {
			all = append(all, fmt.Sprintf("%d %s", u.Calls[call], kind))
		}
	}
	return strings.Join(all, ", ")
}

// PriceTable returns the table of the prices and of those of the requests of a million items, in Markdown.
func PriceTable() string {
	p := Prices()
	var b strings.Builder
	fmt.Fprintf(&b, "List prices of %s in US dollars as of %s:\n\n|what|price|\n|---|---|\n", p.Region, p.Date.Format("2 January 2006"))
	for _, row := range []struct {
		what  string
		price float64
	}{
		{"DynamoDB on demand, a million write request units", p.WriteUnits},
		{"DynamoDB on demand, a million read request units", p.ReadUnits},
		{"DynamoDB, a GB for a month", p.TableGB},
		{"S3 Standard, a million PUT requests", p.S3Writes},
		{"S3 Standard, a million GET or HEAD requests", p.S3Reads},
		{"S3 Standard, a GB for a month", p.ObjectGB},
		{"SQS, a million requests", p.Queue},
		{"KMS, a million requests", p.Key},
		{"Fargate, a vCPU for an hour", p.Processor},
		{"Fargate, a GB of memory for an hour", p.MemoryGB},
		{"a GB between availability zones, in each direction", p.ZoneGB},
	} {
		fmt.Fprintf(&b, "|%s|%g|\n", row.what, row.price)
	}
	least, most := p.Notifications()
	b.WriteString("\nRequests of a million items, in US dollars (measured requests, list prices):\n\n")
	b.WriteString("|item|DynamoDB|S3|NATS between zones (modelled)|sum|\n|---|---|---|---|---|\n")
	for _, i := range Items {
		tables, objects := p.Requests(i)
		transfer := p.Transfer(i)
		fmt.Fprintf(&b, "|%s|%.2f|%.2f|%.2f|**%.2f**|\n", i.Name, tables, objects, transfer, tables+objects+transfer)
	}
	fmt.Fprintf(&b, "\nNotifications of the bucket add %.2f to %.2f per million objects: ingest receives up to 10 with a request.\n", least, most)
	return b.String()
}

// Compute is the measured CPU time of an item in the services, without that of the engines.
type Compute struct {
	Item string
	CPU  time.Duration
}

// utilization is the average share of the processors that a deployment uses.
const utilization = 0.5

// CostTable returns the table of the cost of a million items, in Markdown.
func CostTable(all []Compute) string {
	p := Prices()
	var b strings.Builder
	fmt.Fprintf(&b, "|item|CPU of ingest, analyzer and query|compute at %.0f %% use|requests|a million items|\n|---|---|---|---|---|\n", utilization*100)
	for _, c := range all {
		for _, i := range Items {
			if i.Name != c.Item {
				continue
			}
			tables, objects := p.Requests(i)
			compute, requests := p.Compute(c.CPU, utilization), tables+objects+p.Transfer(i)
			fmt.Fprintf(&b, "|%s|%.1f ms|$%.2f|$%.2f|**$%.2f**|\n", c.Item, float64(c.CPU.Microseconds())/1e3, compute, requests, compute+requests)
		}
	}
	return b.String()
}
