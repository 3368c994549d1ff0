package capacity

import "time"

// Pricing contains list prices in US dollars, without free tiers and discounts.
type Pricing struct {
	Region string
	Date   time.Time // of the newest source

	WriteUnits, ReadUnits float64 // DynamoDB on demand, per million request units
	TableGB               float64 // DynamoDB, per GB and month
	S3Writes, S3Reads     float64 // S3 Standard, per million PUT and of GET and HEAD requests
	ObjectGB              float64 // S3 Standard, per GB and month
	Queue                 float64 // SQS standard queue, per million requests
	Key                   float64 // KMS, per million requests
	Processor, MemoryGB   float64 // Fargate, Linux on x86, per vCPU and hour, and per GB and hour
	ZoneGB                float64 // between availability zones, per GB in each direction
}

// Prices are those of us-east-1, from public copies of the pages of AWS: Fargate read on 20 September 2026 ($0.000011244 per
// vCPU and second), DynamoDB after its reduction of November 2024, and S3, SQS, KMS and data transfer, which have not changed
// for years. They were not compared with the price list of AWS itself.
func Prices() Pricing {
	return Pricing{
		Region: "us-east-1", Date: time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC),
		WriteUnits: 0.625, ReadUnits: 0.125, TableGB: 0.25,
		S3Writes: 5, S3Reads: 0.40, ObjectGB: 0.023,
		Queue: 0.40, Key: 3, Processor: 0.04048, MemoryGB: 0.004445, ZoneGB: 0.01,
	}
}

// memoryPerProcessor is the memory of a task in GB per vCPU, the least that Fargate offers.
const memoryPerProcessor = 2

// Requests returns the price of the requests of a million items to DynamoDB and S3, in US dollars.
func (p Pricing) Requests(i Item) (dynamoDB, s3 float64) {
	writes := i.count(S3, "PUT", "POST")
	return (i.WriteUnits+i.Projection)*p.WriteUnits + i.ReadUnits*p.ReadUnits, float64(writes)*p.S3Writes + float64(i.count(S3)-writes)*p.S3Reads
}

// Notifications returns the price of the notifications of a million objects. S3 sends each to the queue; ingest receives
// and deletes up to 10 with one request each, and at least one.
func (p Pricing) Notifications() (least, most float64) {
	return (1 + 2./10) * p.Queue, (1 + 2) * p.Queue
}

// Compute returns the price of CPU time per item for a million items, in US dollars. used is the average share of the
// processors that is used, above 0 and at most 1.
func (p Pricing) Compute(cpu time.Duration, used float64) float64 {
	return cpu.Hours() * 1e6 / used * (p.Processor + memoryPerProcessor*p.MemoryGB)
}

// Transfer returns the price of the traffic between availability zones that NATS causes for a million items, in US
// dollars. With three servers in three zones, two of three messages cross zones between a program and the leader, and
// the leader sends each published message to two followers; about half of the bytes are of published messages.
func (p Pricing) Transfer(i Item) float64 {
	gigabytes := float64(i.Bytes[NATS]) * 1e6 / 1e9
	return (gigabytes*2/3 + gigabytes/2*2) * 2 * p.ZoneGB // both directions are billed
}
