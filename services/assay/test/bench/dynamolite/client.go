package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// engine is a server to measure.
type engine struct{ addr string }

// client is one connection to an engine. It implements HTTP itself to reduce its
// overhead: it shares the machine with the engines, and its overhead would dilute
// their difference.
type client struct {
	conn   net.Conn
	in     *bufio.Reader
	random *rand.Rand
}

func (e *engine) connect(seed int) (*client, error) {
	conn, err := net.Dial("tcp", e.addr)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 64<<10), rand.New(rand.NewPCG(uint64(seed), 1))}, nil
}

// call sends one request. A status other than 200 is an error.
func (c *client) call(operation, body string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.%s\r\n"+
		"X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x\r\n"+
		"Content-Length: %d\r\n\r\n%s", operation, len(body), body)
	if _, err := c.conn.Write(out.Bytes()); err != nil {
		return err
	}
	status, err := c.in.ReadString('\n')
	if err != nil {
		return err
	}
	length := 0
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if name, v, ok := bytes.Cut(line, []byte(":")); ok && strings.EqualFold(string(name), "content-length") {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return err
			}
		}
	}
	if strings.Contains(status, " 200 ") {
		_, err = c.in.Discard(length)
		return err
	}
	message := make([]byte, length)
	if _, err := io.ReadFull(c.in, message); err != nil {
		return err
	}
	return fmt.Errorf("%s: %s", strings.TrimSpace(status), message)
}

// prepare waits for the engine and fills its table.
func (e *engine) prepare() error {
	var c *client
	var err error
	retry := time.NewTicker(50 * time.Millisecond)
	defer retry.Stop()
	for deadline := time.Now().Add(30 * time.Second); ; <-retry.C {
		if c, err = e.connect(0); err == nil {
			break
		}
		if time.Now().After(deadline) {
			return err
		}
	}
	defer func() { _ = c.conn.Close() }() // all responses have been read
	if err := c.call("CreateTable", createTable); err != nil {
		return err
	}
	for p := range partitions {
		for first := 0; first < perPartition; first += 25 {
			if err := c.call("BatchWriteItem", batch(p, first)); err != nil {
				return err
			}
		}
	}
	return nil
}

// try sends one request of the workload.
func (e *engine) try(w workload) error {
	c, err := e.connect(0)
	if err != nil {
		return err
	}
	defer func() { _ = c.conn.Close() }() // the response has been read
	return c.call(w.operation, w.body(c.random))
}

// measure repeats the workload for d with the given number of clients. It returns
// requests per second and the median latency.
func (e *engine) measure(w workload, clients int, d time.Duration) (rate float64, p50 time.Duration, err error) {
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range clients {
		c, connectErr := e.connect(i)
		if connectErr != nil {
			return 0, 0, connectErr
		}
		defer func() { _ = c.conn.Close() }()
		wg.Go(func() {
			var took []time.Duration
			var failed error
			for time.Since(begin) < d && failed == nil {
				sent := time.Now()
				failed = c.call(w.operation, w.body(c.random))
				took = append(took, time.Since(sent))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if failed != nil {
				err = failed
			}
		})
	}
	wg.Wait()
	slices.Sort(all)
	return float64(len(all)) / time.Since(begin).Seconds(), all[len(all)/2], err
}
