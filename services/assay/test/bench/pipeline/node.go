package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
	"github.com/assay-project/assay/services/assay/test/capacity"
)

// Node is one node: `assay serve` in a process of its own, or the three services and, in another process that is not
// counted, the engines.
type Node struct {
	p     *program
	items atomic.Int64 // feed items so far
}

// Figures are the measurements of a load of a Node.
type Figures struct {
	InFlight            int
	Rate                float64                  // items/s
	CPU                 time.Duration            // of the node, per item
	Roles               map[string]time.Duration // the same by program, such as ingest
	Client              time.Duration            // CPU time of the load generator, per item
	Processors          float64                  // of the machine, without those that other programs used meanwhile
	Accepted, Completed [2]float64               // p50 and p99 in seconds, from the POST to the response and to the outcome
}

// StartNode starts `assay serve` with a new data directory. The caller stops it.
func StartNode(dir string) (*Node, error) {
	p, err := start(roleAssay, dir)
	return &Node{p: p}, err
}

// StartServices starts the services and the engines, with a new data directory. The caller stops them.
func StartServices(dir string) (*Node, error) {
	p, err := startSeparate(dir)
	return &Node{p: p}, err
}

// StartStreams starts a NATS server of its own, which syncs as one with replicas, and returns its URL. The caller stops it.
func StartStreams(dir string) (n *Node, url string, err error) {
	c, at, err := spawn(roleStreams, dir)
	if err != nil {
		return nil, "", err
	}
	return &Node{p: &program{role: roleStreams, processes: []*child{c}}}, at.NATS, nil
}

// CPU returns the CPU time that the node has used so far.
func (n *Node) CPU() (time.Duration, error) {
	u, err := n.p.usage()
	return u.CPU, err
}

// Stop stops the node.
func (n *Node) Stop() { n.p.stop() }

// Idle measures the CPU time that the node uses per second without load.
func (n *Node) Idle(ctx context.Context, length time.Duration) (float64, error) {
	before, err := n.p.usage()
	if err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(length):
	}
	after, err := n.p.usage()
	return (after.CPU - before.CPU).Seconds() / length.Seconds(), err
}

// Load keeps a number of items of a kind of package capacity in flight for a duration.
func (n *Node) Load(ctx context.Context, kind string, inFlight int, length time.Duration) (Figures, error) {
	p, err := n.sending(kind)
	if err != nil {
		return Figures{}, err
	}
	client, err := paired.OwnCPU()
	if err != nil {
		return Figures{}, err
	}
	before, err := n.roles()
	if err != nil {
		return Figures{}, err
	}
	busy, known := busySeconds()
	s, err := load(ctx, p, inFlight, length)
	if err != nil {
		return Figures{}, err
	}
	after, err := paired.OwnCPU()
	if err != nil {
		return Figures{}, err
	}
	f := Figures{
		InFlight: inFlight, Rate: s.rate(), CPU: s.cpu / time.Duration(len(s.ends)), Processors: float64(runtime.NumCPU()),
		Accepted: [2]float64{s.accepted(.5), s.accepted(.99)}, Completed: [2]float64{s.completed(.5), s.completed(.99)},
	}
	f.Roles, err = n.roles()
	for role := range f.Roles {
		f.Roles[role] = (f.Roles[role] - before[role]) / time.Duration(len(s.ends))
	}
	f.Client = time.Duration((after - client) / float64(len(s.ends)) * float64(time.Second))
	if now, ok := busySeconds(); known && ok {
		others := now - busy - (after - client) - s.cpu.Seconds()
		f.Processors -= max(0, others/s.took.Seconds())
	}
	return f, err
}

// roles returns the CPU time that each program has used so far.
func (n *Node) roles() (map[string]time.Duration, error) {
	all := map[string]time.Duration{}
	for _, c := range n.p.processes {
		u, err := c.usage()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.role, err)
		}
		all[c.role] = u.CPU
	}
	return all, nil
}

// sending returns a program that uploads items of a kind.
func (n *Node) sending(kind string) (*program, error) {
	p := *n.p
	var err error
	switch kind {
	case capacity.TextForm:
	case capacity.LibraryFile:
		return p.library("small.txt", text(small))
	case capacity.FeedItem:
		p.path, p.ends, p.contentType = "/v1/feed/items", "assay.analysis.completed.feed.*", "application/json"
		p.vary = func() []byte {
			return fmt.Appendf(nil, `{"sourceId":"newsapi#bench-%d","sourceType":"newsapi","text":%q,"matchedTags":["bench"]}`, n.items.Add(1), capacity.FeedText)
		}
	case capacity.Photo:
		var photo bytes.Buffer
		if err := jpeg.Encode(&photo, scene.New(160, 120, 1), nil); err != nil {
			return nil, err
		}
		p.path, p.ends = "/v1/photos", "assay.analysis.completed.photojob.*"
		p.contentType, p.body, err = formOf("small.jpg", "image/jpeg", photo.Bytes(), [2]string{"prompt", "grayscale"})
	default:
		return nil, fmt.Errorf("no load of %q", kind)
	}
	return &p, err
}

// busySeconds returns the CPU time that all programs of the machine have used, and that its host has withheld. ok is false
// on systems other than Linux.
func busySeconds() (seconds float64, ok bool) {
	const ticks = 100 // USER_HZ, see proc(5)
	stat, err := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	if err != nil || len(fields) < 9 || fields[0] != "cpu" {
		return 0, false
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, false
		}
		if i != 3 && i != 4 { // idle, and idle while waiting for disks
			seconds += n / ticks
		}
	}
	return seconds, true
}
