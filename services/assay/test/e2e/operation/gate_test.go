package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/assay-project/assay/services/assay/client"
)

// gate is a reader that blocks in the middle until it is opened.
type gate struct {
	first, rest io.Reader
	reached     chan struct{} // closed when everything before the gate has been read
	open        chan struct{} // close it to unblock the rest
	at          bool
}

func newGate(text string) *gate {
	return &gate{
		first: strings.NewReader(text[:len(text)/2]), rest: strings.NewReader(text[len(text)/2:]),
		reached: make(chan struct{}), open: make(chan struct{}),
	}
}

func (g *gate) Read(b []byte) (int, error) {
	if !g.at {
		n, err := g.first.Read(b)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		g.at = true
		close(g.reached)
	}
	<-g.open
	return g.rest.Read(b)
}

// listHas returns an error unless the owner's list contains a file with this name.
func listHas(ctx context.Context, c *client.Client, name string) error {
	for file, err := range c.List(ctx, client.Listing{}) {
		if err != nil {
			return err
		}
		if file.FileName == name {
			return nil
		}
	}
	return fmt.Errorf("%s is not listed", name)
}

// gone returns an error while connections to a URL are accepted.
func gone(ctx context.Context, url string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil
	}
	return errors.Join(fmt.Errorf("%s still accepts connections", url), conn.Close())
}
