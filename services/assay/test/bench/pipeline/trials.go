// Package pipeline measures the processing of a small file, from its upload to its result, and
// compares it with the floor: a program that performs the same steps on the same engines and does
// nothing else. Its goals are P1 to P5, L1 and U1 of docs/performance.md.
//
// Both are separate processes with embedded engines, and are measured alternately. A file is in
// flight from its POST until its outcome arrives over NATS. A run keeps a number of files in flight
// for a few seconds.
package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// Options configures the measurement.
type Options struct {
	Dir      string        // for data; must be new and empty
	Profiles string        // the directory for the profiles of Stages
	Length   time.Duration // duration of one run
	Files    int           // number of files in the memory run
	Largest  int64         // size in bytes of the largest object in that run
	Upload   int64         // size in bytes of the multipart upload
}

// inFlight lists the numbers of files in flight to measure.
var inFlight = []int{1, 8, 32, 64}

// small is the size of the uploaded file in bytes.
const small = 4 << 10

// Quantities.
const (
	p50      = "p50"
	p99      = "p99"
	accepted = "accepted"
	cpu      = "cpu"
	turn     = "turn" // seconds per file: the inverse of the rate
	tail     = "tail" // the 99th percentile for own, the median for the rival
	falls    = "factor by which the rate falls"
	events   = "events, bytes"
	sizes    = "size, bytes"
)

// Trials starts the programs, which run until stop is called, and returns the trials
// of the goals P1 to P4 and L1.
func Trials(o Options) (trials []paired.Trial, stop func(), err error) {
	programs := map[string]*program{}
	stop = func() {
		for _, p := range programs {
			p.stop()
		}
	}
	for _, role := range []string{roleAssay, roleFloor, roleCalls} {
		if programs[role], err = start(role, filepath.Join(o.Dir, role)); err != nil {
			delete(programs, role)
			stop()
			return nil, nil, err
		}
	}
	own := programs[roleAssay]
	for _, n := range inFlight {
		trials = append(trials, o.beside(own, programs[roleFloor], "floor", n, false))
	}
	for _, n := range []int{1, 32} { // the numbers with goals
		trials = append(trials, o.beside(own, programs[roleCalls], "floor with the calls of Assay", n, true))
	}
	for _, kind := range []struct {
		name    string
		content []byte
	}{{"bytes", noise(small)}, {"text", text(small)}} {
		library, err := own.library("small", kind.content)
		if err != nil {
			stop()
			return nil, nil, err
		}
		trials = append(trials, o.library(library, own, kind.name))
	}
	return append(append(trials, o.growing(own)), o.alone()...), stop, nil
}

// library compares uploads to the library with uploads of text files, on the same server.
func (o Options) library(own, texts *program, kind string) paired.Trial {
	const n = 32
	side := func(name string, p *program) paired.Side {
		return paired.Side{Name: name, Run: func(ctx context.Context) (paired.Sample, error) {
			s, err := load(ctx, p, n, o.Length)
			if err != nil {
				return nil, err
			}
			return paired.Sample{cpu: s.cpuPerFile(), turn: 1 / s.rate()}, nil
		}}
	}
	return paired.Trial{
		Title: fmt.Sprintf("4 KB of %s to the library, %d in flight", kind, n), Own: side("library", own), Rival: side("text files", texts),
		Goals: []paired.Goal{
			{ID: "L1", What: "files/s", Quantity: turn, Must: .2, Target: .4},
			{ID: "-", What: "files per CPU-second", Quantity: cpu},
		},
	}
}

// beside compares Assay with a floor, with n files in flight. The goal for CPU time is relative to
// the floor with the same number of calls, because the AWS SDK uses most of the CPU time of a file.
func (o Options) beside(own, floor *program, name string, n int, calls bool) paired.Trial {
	side := func(name string, p *program, tailOf float64) paired.Side {
		return paired.Side{Name: name, Run: func(ctx context.Context) (paired.Sample, error) {
			s, err := load(ctx, p, n, o.Length)
			if err != nil {
				return nil, err
			}
			return paired.Sample{
				p50: s.completed(.5), p99: s.completed(.99), tail: s.completed(tailOf),
				accepted: s.accepted(.5), cpu: s.cpuPerFile(), turn: 1 / s.rate(),
			}, nil
		}}
	}
	goals := []paired.Goal{
		{ID: "-", What: "p50 to accepted", Quantity: accepted, Direction: paired.AtMost},
		{ID: "-", What: "p50 to COMPLETED", Quantity: p50, Direction: paired.AtMost},
		{ID: "-", What: "p99 to COMPLETED", Quantity: p99, Direction: paired.AtMost},
		{ID: "-", What: "seconds per file", Quantity: turn, Direction: paired.AtMost},
		{ID: "-", What: "files per CPU-second", Quantity: cpu},
	}
	switch n {
	case 1:
		goals[1].ID, goals[1].Must, goals[1].Target = "P1", 2, 1.5
		goals = append(goals, paired.Goal{
			ID: "P2", What: "p99 relative to the floor's p50", Quantity: tail, Direction: paired.AtMost, Must: 6, Target: 4,
		})
	case 32:
		if calls {
			goals[4].ID, goals[4].Must, goals[4].Target = "P3", .65, .85
		}
	}
	return paired.Trial{
		Title: fmt.Sprintf("4 KB text, %d in flight", n),
		Own:   side("assay serve", own, .99), Rival: side(name, floor, .5), Goals: goals,
	}
}

// turnsOf returns the name of the quantity p99 / (n / rate): the 99th percentile relative to the
// time in which n files are processed at the measured rate.
func turnsOf(n int) string { return fmt.Sprintf("p99 / (in flight / rate), %d in flight", n) }

// growing measures Assay with increasing numbers of files in flight. Each number has its own goal for
// the 99th percentile: a goal for the maximum of all would be missed more often by chance, especially
// on a shared disk.
func (o Options) growing(own *program) paired.Trial {
	run := func(ctx context.Context) (paired.Sample, error) {
		most, result := 0.0, paired.Sample{falls: 1}
		for _, n := range inFlight {
			s, err := load(ctx, own, n, o.Length)
			if err != nil {
				return nil, err
			}
			most = max(most, s.rate())
			result[falls] = max(result[falls], most/s.rate())
			result[turnsOf(n)] = s.completed(.99) / (float64(n) / s.rate())
		}
		return result, nil
	}
	goals := []paired.Goal{{ID: "P4", What: "files/s with fewer in flight relative to more", Quantity: falls, Direction: paired.AtMost, Must: 1.05}}
	for _, n := range inFlight {
		goals = append(goals, paired.Goal{ID: "P4", What: turnsOf(n), Quantity: turnsOf(n), Direction: paired.AtMost, Must: 3, Target: 2})
	}
	return paired.Trial{Title: "4 KB text, 1 to 64 in flight", Own: paired.Side{Name: "assay serve", Run: run}, Goals: goals}
}

// alone compares the CPU time of the services with that of the floor. The engines run in other
// processes and are not counted.
func (o Options) alone() []paired.Trial {
	side := func(name string, begin func(dir string) (*program, error)) paired.Side {
		return paired.Side{Name: name, Run: func(ctx context.Context) (paired.Sample, error) {
			dir, err := os.MkdirTemp(o.Dir, "alone-")
			if err != nil {
				return nil, err
			}
			s, err := o.once(ctx, dir, begin)
			if err != nil {
				return nil, err
			}
			return paired.Sample{cpu: s.cpuPerFile()}, nil
		}}
	}
	const title = "4 KB text, 32 in flight"
	services := side("ingest, analyzer and query", startSeparate)
	return []paired.Trial{
		{Title: title, Own: services, Rival: side("floor without its engines", startFloorSeparate), Goals: []paired.Goal{
			{ID: "-", What: "CPU of the services per file", Quantity: cpu, Direction: paired.AtMost},
		}},
	}
}

// once starts a program, warms it up, measures a load, and stops it.
func (o Options) once(ctx context.Context, dir string, begin func(dir string) (*program, error)) (sample, error) {
	p, err := begin(dir)
	if err != nil {
		return sample{}, err
	}
	defer p.stop()
	if _, err := load(ctx, p, 32, time.Second); err != nil {
		return sample{}, err
	}
	return load(ctx, p, 32, o.Length)
}
