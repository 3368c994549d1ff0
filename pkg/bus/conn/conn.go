// Package conn provides a connection to NATS with JetStream. A request that the server does not
// permit fails immediately with ErrForbidden; the client library alone would report a timeout.
package conn

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
)

// Config names the server and the user.
type Config struct {
	URL            string // such as nats://127.0.0.1:4222
	User, Password string // empty for none
	Credentials    string // a NATS credentials file, in place of a user; empty for none
	Client         string // the connecting program, such as "ingest"
}

// Conn is a connection that reconnects automatically. It is safe for concurrent use.
type Conn struct {
	NATS *nats.Conn // requests made directly on it can time out; see WithPermissionErrors
	JS   *JetStream

	*refusals

	mu        sync.Mutex
	connected context.Context // done once the connection has been lost and restored
	lost      context.CancelFunc
}

// Dial opens a connection. It returns an error if no server responds. The caller closes
// the Conn.
func Dial(cfg Config, log zerolog.Logger) (*Conn, error) {
	c := &Conn{refusals: &refusals{client: cfg.Client, log: log, waiting: map[*waiter]struct{}{}}}
	c.connected, c.lost = context.WithCancel(context.Background())
	options := []nats.Option{
		nats.Name("assay " + cfg.Client),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		// The connection is closed after three pings without a response.
		nats.PingInterval(10 * time.Second),
		// The capacity of a subscription in messages. Each worker has one subscription and
		// requests one message at a time; the client's default would allocate half a megabyte
		// for each.
		nats.SyncQueueLen(64),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn().Err(err).Msg("NATS connection lost")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.reconnected() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.reported(err) }),
	}
	if cfg.User != "" {
		// Replies have a prefix for each user, so that no user needs permission to read the
		// replies of others.
		options = append(options, nats.UserInfo(cfg.User, cfg.Password), nats.CustomInboxPrefix("_INBOX."+cfg.User))
	}
	if cfg.Credentials != "" {
		options = append(options, nats.UserCredentials(cfg.Credentials))
	}
	var err error
	if c.NATS, err = nats.Connect(cfg.URL, options...); err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w", redacted(cfg.URL), err)
	}
	js, err := jetstream.New(c.NATS)
	if err != nil {
		c.NATS.Close()
		return nil, err
	}
	c.JS = &JetStream{refusals: c.refusals, js: js}
	return c, nil
}

// redacted returns a list of URLs without their passwords.
func redacted(urls string) string {
	all := strings.Split(urls, ",")
	for i, one := range all {
		at, err := url.Parse(strings.TrimSpace(one))
		if err != nil {
			return "an invalid URL" // err contains the password
		}
		all[i] = at.Redacted()
	}
	return strings.Join(all, ",")
}

// Check returns an error unless NATS responds and has JetStream. It is a readiness check.
func (c *Conn) Check(ctx context.Context) error {
	if !c.NATS.IsConnected() {
		return errors.New("not connected")
	}
	return c.JS.check(ctx)
}

// Connected returns a context that is done once the connection has been lost and restored. The
// server has then discarded earlier requests and subscriptions.
func (c *Conn) Connected() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connected
}

func (c *Conn) reconnected() {
	c.log.Info().Msg("NATS connection restored")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost()
	c.connected, c.lost = context.WithCancel(context.Background())
}

// Close flushes buffered data, including acknowledgements, and closes the
// connection.
func (c *Conn) Close() {
	if err := c.NATS.FlushTimeout(5 * time.Second); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		c.log.Warn().Err(err).Msg("NATS connection closed with unsent data")
	}
	c.NATS.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost()
}
