package e2e

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestQueryAsksItsDAXCluster: query with a cluster's endpoint speaks the DAX
// protocol to it; while the cluster does not respond, the dashboard is still
// correct. Without an endpoint no request is sent.
func TestQueryAsksItsDAXCluster(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	const hello = "\x67J7yne5G" // a CBOR text of 7 characters
	heard := make(chan string, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			first := make([]byte, len(hello))
			if _, err := io.ReadFull(conn, first); err == nil {
				select {
				case heard <- string(first):
				default: // one is enough
				}
			}
			conn.Close()
		}
	}()

	c := startCluster(t, noSweep)
	ingest := c.service(t, "ingest")
	c.service(t, "analyzer")
	query := c.service(t, "query", "ASSAY_DAX_ENDPOINT=dax://"+listener.Addr().String())
	c.front(t, ingest, query)
	select {
	case got := <-heard:
		if got != hello {
			t.Errorf("the cluster hears %q", got)
		}
	case <-within(t).Done():
		t.Fatal("the cluster hears nothing")
	}
	p := newPosting("The book was good.", newTag())
	c.postItem(t, p)
	eventually(t, func() error {
		items, err := c.feedList(within(t), url.Values{"tag": p.MatchedTags})
		if err == nil && !slices.ContainsFunc(items, func(i feedItem) bool { return i.SourceID == p.SourceID }) {
			err = fmt.Errorf("the list has %v", items)
		}
		return err
	})
	if said := query.output.String(); !strings.Contains(said, "a read from the DAX cluster failed") {
		t.Errorf("no read went to the cluster: %s", said)
	}

	without := c.service(t, "query")
	c.front(t, ingest, without)
	if _, err := c.feedList(within(t), url.Values{}); err != nil || strings.Contains(without.output.String(), "DAX") {
		t.Errorf("without an endpoint: %v, %s", err, without.output.String())
	}
	wrong := launch(t, "query", append(c.env[:len(c.env):len(c.env)], "ASSAY_DAX_ENDPOINT=http://127.0.0.1:8111"))
	if status := wrong.end(t); status == 0 || !strings.Contains(wrong.output.String(), "ASSAY_DAX_ENDPOINT") {
		t.Errorf("an endpoint that is none ends with %d: %s", status, wrong.output)
	}
}
