package simulation

import (
	"math"
	"time"
)

// Latencies of AWS, which are not measured: S3 of small objects according to the S3 User Guide (100 to 200 ms, the lower
// end), and a transaction of DynamoDB, whose single requests take less than 10 ms according to the Developer Guide.
const (
	awsObject      = 100 * time.Millisecond
	awsTransaction = 10 * time.Millisecond
)

// Costs are the measured inputs of a simulation of a deployment on AWS.
type Costs struct {
	Accept, Process time.Duration // CPU time of ingest and of the analyzer per file, without that of the engines
	Leader          Leader        // of a stream
}

// Scenario is a load on a deployment.
type Scenario struct {
	Name  string
	Model Model
	Load  Load
	Cells int // the load and the deployment are one of so many equal parts, each with its own stream
}

// headroom is the number of processes of a deployment relative to the least that suffices.
const headroom = 1.5

// deployment returns a deployment on AWS for a rate of uploads per second, with as many processes as their limits of
// concurrency require, the default settings, and the default limits of AWS.
func deployment(c Costs, rate float64, parallel int) Model {
	m := Model{
		Processors: 2, Accept: c.Accept, Process: c.Process, Leader: c.Leader,
		Transaction: awsTransaction, Put: awsObject, Get: awsObject,
		TableUnits: 40_000, Partition: 1000, Prefixes: 1,
		Parallel: parallel, Streamed: 32, MaxMessages: 1_000_000, MaxPerOwner: 100_000,
	}
	accept := m.Accept + m.Transaction + m.Put + m.Leader.Network
	process := m.Process + 2*m.Transaction + m.Get + 2*m.Leader.Network
	processes := func(each time.Duration, places int) int {
		byPlaces := rate * each.Seconds() / float64(places)
		return int(math.Ceil(headroom * byPlaces))
	}
	m.Ingests, m.Analyzers = processes(accept, m.Streamed), processes(process, m.Parallel)
	return m
}

// raised returns the deployment with a quota of the table for the rate, and with a bucket that S3 has partitioned.
func raised(m Model, rate float64) Model {
	m.TableUnits, m.Prefixes = 2*14*rate, 256
	return m
}

// Scenarios returns the simulated loads.
func Scenarios(c Costs) []Scenario {
	const owners = 1000
	one := deployment(c, 1000, 16)
	ten, hundred := raised(deployment(c, 10_000, 16), 10_000), raised(deployment(c, 100_000, 16), 100_000)
	// More workers do not help: a consumer has at most 1,016 unsettled messages of each priority.
	hundred.Analyzers = 128
	const cells = 32
	cell := raised(deployment(c, 100_000./cells, 32), 100_000./cells)
	return []Scenario{
		{"1,000/s", one, Load{Rate: 1000, Length: 10 * time.Second, Owners: owners}, 1},
		{"1,000/s, half of them of one owner", one, Load{Rate: 1000, Length: 10 * time.Second, Owners: owners, Large: 0.5}, 1},
		{"10,000/s, default limits of AWS", deployment(c, 10_000, 16), Load{Rate: 10_000, Length: 2 * time.Second, Owners: owners}, 1},
		{"10,000/s, limits of AWS raised", ten, Load{Rate: 10_000, Length: 3 * time.Second, Owners: 10 * owners}, 1},
		{"100,000/s, limits of AWS raised", hundred, Load{Rate: 100_000, Length: time.Second / 2, Owners: 100 * owners}, 1},
		{"100,000/s, also 32 streams for owners, ASSAY_ANALYZER_PARALLEL=32", cell, Load{Rate: 100_000. / cells, Length: 5 * time.Second, Owners: 10 * owners}, cells},
	}
}
