package simulation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/textfile"
)

// Load is what clients send.
type Load struct {
	Rate   float64       // uploads/s
	Length time.Duration // of the load; what is accepted ends afterwards
	Owners int           // small owners, which send equal shares
	Large  float64       // share of all uploads that one large owner sends
}

// Result is the result of a simulation.
type Result struct {
	Model          Model
	Load           Load
	Sent, Accepted int
	Refused        map[int]int  // by status
	Completed      float64      // per second, from the begin of the load until the last accepted file is completed
	Small, Large   [2][]float64 // sorted seconds from the request to the response and to the outcome
	Backlog        int          // most messages in the stream of work
	Leader         float64      // used share of the leader of the stream of work
	Ingest         float64      // used share of the processors
	Analyzer       float64
	Full           int     // times that messages waited because too many of a consumer were unsettled
	Refusals       int     // requests of workers that a consumer refused because too many waited
	Rejected       int     // messages that the leader refused because too many waited to be stored
	Units          float64 // write units per second
}

// percentile returns a percentile of a sorted list, or 0.
func percentile(sorted []float64, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// closed keeps n files in flight on a node for a time, as the benchmark does, and returns the result.
func closed(m Model, n int, length time.Duration) (Result, error) {
	s, err := begin(m)
	if err != nil {
		return Result{}, err
	}
	r := Result{Model: m, Load: Load{Length: length, Owners: n}, Refused: map[int]int{}}
	began := time.Now()
	var clients sync.WaitGroup
	for client := range n {
		clients.Go(func() {
			to := s.ingests[client%len(s.ingests)]
			for i := 0; time.Since(began) < length; i++ {
				posted := time.Now()
				_ = to.node.use(context.Background(), m.Client/2)
				status, ended := s.upload(context.Background(), to, fmt.Sprint("bench-", client), fmt.Sprintf("f-%d-%d", client, i))
				answered := time.Since(posted)
				if status == http.StatusAccepted {
					<-ended
				}
				_ = to.node.use(context.Background(), m.Client/2)
				s.note(&r, status, false, answered, time.Since(posted))
			}
		})
	}
	clients.Wait()
	return s.finish(r, began)
}

// open sends uploads at a rate, regardless of the responses, and returns the result once all accepted files are
// completed.
func open(m Model, load Load) (Result, error) {
	s, err := begin(m)
	if err != nil {
		return Result{}, err
	}
	r := Result{Model: m, Load: load, Refused: map[int]int{}}
	const tick = time.Millisecond
	began := time.Now()
	var uploads sync.WaitGroup
	sent, small, large := 0, 0, 0
	for now := time.Duration(0); now < load.Length; now += tick {
		for ; sent < int(load.Rate*(now+tick).Seconds()); sent++ {
			owner, isLarge := "large", float64(large) < load.Large*float64(sent+1)
			if isLarge {
				large++
			} else {
				owner = fmt.Sprint("small-", small%load.Owners)
				small++
			}
			id, to := fmt.Sprint("f-", sent), s.ingests[sent%len(s.ingests)]
			uploads.Go(func() {
				posted := time.Now()
				status, ended := s.upload(context.Background(), to, owner, id)
				answered := time.Since(posted)
				if status == http.StatusAccepted {
					<-ended
				}
				s.note(&r, status, isLarge, answered, time.Since(posted))
			})
		}
		<-time.After(tick)
	}
	s.measure(&r, time.Since(began)) // while the load lasts
	uploads.Wait()
	return s.finish(r, began)
}

// note records the end of an upload.
func (s *simulated) note(r *Result, status int, large bool, answered, ended time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Sent++
	if status != http.StatusAccepted {
		r.Refused[status]++
		return
	}
	r.Accepted++
	to := &r.Small
	if large {
		to = &r.Large
	}
	to[0], to[1] = append(to[0], answered.Seconds()), append(to[1], ended.Seconds())
}

// measure records how much of the system is used.
func (s *simulated) measure(r *Result, length time.Duration) {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	st := s.cluster.streams[textfile.WorkStream]
	r.Leader, r.Backlog = max(st.storing.busy, st.serving.busy).Seconds()/length.Seconds(), st.most
	r.Rejected = st.rejected
	r.Full, r.Refusals = 0, 0
	for _, d := range st.order {
		r.Full += d.full
		r.Refusals += d.refused
	}
	share := func(nodes []*processors) float64 {
		used := 0.0
		for _, node := range nodes {
			node.mu.Lock()
			used += node.used.Seconds() / length.Seconds() / float64(len(node.free))
			node.mu.Unlock()
		}
		return used / float64(len(nodes))
	}
	var ingests []*processors
	for _, one := range s.ingests {
		ingests = append(ingests, one.node)
	}
	r.Ingest, r.Analyzer = share(ingests), share(s.nodes)
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	r.Units = s.tables.units / length.Seconds()
}

// finish ends the system and completes the result.
func (s *simulated) finish(r Result, began time.Time) (Result, error) {
	took := time.Since(began)
	r.Completed = float64(r.Accepted) / took.Seconds()
	if r.Ingest == 0 {
		s.measure(&r, took)
	}
	for _, list := range [][]float64{r.Small[0], r.Small[1], r.Large[0], r.Large[1]} {
		slices.Sort(list)
	}
	return r, s.end()
}
