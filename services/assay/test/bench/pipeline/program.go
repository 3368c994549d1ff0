package pipeline

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// program consists of one or more processes that accept and process files.
type program struct {
	role      string
	processes []*child // processes whose usage is counted
	others    []*child

	http, nats, ends string // two URLs, and the subject filter of the outcome events
	client           *http.Client
	path             string // URL path of uploads
	contentType      string
	body             []byte
	vary             func() []byte // returns the body of each upload; nil means body
}

// child is a process of one role.
type child struct {
	role  string
	cmd   *exec.Cmd
	ask   io.WriteCloser
	lines *bufio.Scanner
}

// ready is the first line of output of a process, in JSON.
type ready struct{ HTTP, NATS, S3, DynamoDB, Ends string }

// usage is the resource usage of a process.
type usage struct {
	CPU  time.Duration
	Peak int64 // peak memory in bytes
}

// start starts a program of one process with a new data directory.
func start(role, dir string, env ...string) (*program, error) {
	c, at, err := spawn(role, dir, env...)
	if err != nil {
		return nil, err
	}
	p := &program{role: role, processes: []*child{c}, http: at.HTTP, nats: at.NATS, ends: at.Ends}
	return p, p.prepareClient()
}

// startSeparate starts the three services, and the engines in another process.
func startSeparate(dir string) (*program, error) {
	engines, at, err := spawn(roleEngines, dir)
	if err != nil {
		return nil, err
	}
	p := &program{role: "services", others: []*child{engines}, nats: at.NATS, ends: assayEnds}
	for _, role := range services {
		c, service, err := spawn(role, dir, at.environ()...)
		if err != nil {
			p.stop()
			return nil, err
		}
		if p.processes = append(p.processes, c); role == roleIngest {
			p.http = service.HTTP
		}
	}
	return p, p.prepareClient()
}

// startFloorSeparate starts the floor, and the engines in another process.
func startFloorSeparate(dir string) (*program, error) {
	engines, at, err := spawn(roleEngines, dir)
	if err != nil {
		return nil, err
	}
	p := &program{role: roleFloor, others: []*child{engines}, nats: at.NATS}
	c, floor, err := spawn(roleFloor, dir, at.environ()...)
	if err != nil {
		p.stop()
		return nil, err
	}
	p.processes, p.http, p.ends = []*child{c}, floor.HTTP, floor.Ends
	return p, p.prepareClient()
}

// environ returns the environment of a service that uses these engines.
func (r ready) environ() []string {
	return []string{
		"ASSAY_NATS_URL=" + r.NATS, "ASSAY_S3_ENDPOINT=" + r.S3, "ASSAY_DYNAMODB_ENDPOINT=" + r.DynamoDB,
		"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "ASSAY_NATS_SYNC=always", "ASSAY_MAX_FILE_SIZE=1099511627776",
	}
}

// prepareClient creates the HTTP client and the body of its uploads.
func (p *program) prepareClient() (err error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	p.client = &http.Client{Transport: transport}
	p.path, p.contentType, p.body = "/v1/files", "text/plain", text(small)
	if p.role != roleFloor && p.role != roleCalls {
		p.contentType, p.body, err = form("small.txt", p.body)
	}
	return err
}

// library returns a copy of the program that uploads the given file to the library.
func (p *program) library(name string, content []byte) (*program, error) {
	own := *p
	own.path, own.ends = "/v1/library/files", "assay.analysis.completed.library.*"
	var err error
	own.contentType, own.body, err = form(name, content)
	return &own, err
}

func spawn(role, dir string, env ...string) (*child, ready, error) {
	var at ready
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, at, err
	}
	c := &child{role: role, cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(append(os.Environ(), roleVariable+"="+role, "ASSAY_DATA_DIR="+dir, "ASSAY_ADDR=127.0.0.1:0", "ASSAY_OPERATOR_ADDR=127.0.0.1:0"), env...)
	log, err := os.Create(filepath.Join(dir, role+".log"))
	if err != nil {
		return nil, at, err
	}
	c.cmd.Stderr = log
	defer func() { _ = log.Close() }() // the process has its own descriptor
	if c.ask, err = c.cmd.StdinPipe(); err != nil {
		return nil, at, err
	}
	answers, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, at, err
	}
	c.lines = bufio.NewScanner(answers)
	if err := c.cmd.Start(); err != nil {
		return nil, at, err
	}
	if err := c.answer(&at); err != nil {
		c.stop()
		logged, _ := os.ReadFile(log.Name()) // only adds detail to the error
		return nil, at, fmt.Errorf("%s did not start: %w\n%s", role, err, logged)
	}
	return c, at, nil
}

func (c *child) answer(to any) error {
	if !c.lines.Scan() {
		return errors.Join(io.ErrUnexpectedEOF, c.lines.Err())
	}
	return json.Unmarshal(c.lines.Bytes(), to)
}

func (c *child) usage() (usage, error) {
	var u usage
	_, err := fmt.Fprintln(c.ask, "usage")
	if err == nil {
		err = c.answer(&u)
	}
	return u, err
}

// stop ends the process.
func (c *child) stop() {
	_ = c.ask.Close() // ends the process
	_ = c.cmd.Wait()  // its exit status does not matter
}

// usage returns the CPU time of all counted processes; Peak is not set.
func (p *program) usage() (usage, error) {
	var sum usage
	for _, c := range p.processes {
		u, err := c.usage()
		if err != nil {
			return sum, fmt.Errorf("%s: %w", c.role, err)
		}
		sum.CPU += u.CPU
	}
	return sum, nil
}

// peaks returns the peak memory by role.
func (p *program) peaks() (map[string]int64, error) {
	all := map[string]int64{}
	for _, c := range p.processes {
		u, err := c.usage()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.role, err)
		}
		all[c.role] = u.Peak
	}
	return all, nil
}

// profiled calls meanwhile, and writes a CPU profile of each process during the call.
func (p *program) profiled(dir string, meanwhile func() error) error {
	for _, c := range p.processes {
		path, err := filepath.Abs(filepath.Join(dir, c.role+".pprof"))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.ask, "profile", path); err != nil {
			return err
		}
	}
	failed := []error{meanwhile()}
	for _, c := range p.processes {
		_, err := fmt.Fprintln(c.ask, "done")
		var u usage
		failed = append(failed, err, c.answer(&u))
	}
	return errors.Join(failed...)
}

func (p *program) stop() {
	if p.client != nil {
		p.client.CloseIdleConnections()
	}
	for _, c := range append(p.processes, p.others...) {
		c.stop()
	}
}

// text returns size bytes of random words, the same in every run.
func text(size int) []byte {
	random := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	for b.Len() < size {
		for range 1 + random.IntN(9) {
			b.WriteByte(byte('a' + random.IntN(26)*random.IntN(26)/26))
		}
		b.WriteByte(" \n"[random.IntN(12)/11])
	}
	return []byte(b.String()[:size])
}

// noise returns size random bytes of an unknown file type, the same in every run.
func noise(size int) []byte {
	random := rand.New(rand.NewPCG(4, 3))
	all := make([]byte, size) // no known file type begins with a zero byte followed by noise
	for i := 1; i < size; i++ {
		all[i] = byte(random.UintN(256))
	}
	return all
}
