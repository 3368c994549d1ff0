// Package bus carries events over NATS JetStream: it declares the streams,
// publishes, consumes with attempts, backoff and dead letters, and tails the
// outcomes for live readers.
//
// The tables are the truth and a message is a hint that can be sent again. So
// everything here is at least once, ids are deterministic, and handlers may run
// twice. An acknowledgement is no fence: NATS accepts that of a stale holder
// too. What keeps two workers apart is the conditional write of lifecycle.
package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Config names the NATS server and the limits of the streams.
type Config struct {
	URL             string        `env:"ASSAY_NATS_URL,required" doc:"the address of the NATS server, such as nats://127.0.0.1:4222"`
	User            string        `env:"ASSAY_NATS_USER" doc:"the user at the NATS server; none by default"`
	Password        string        `env:"ASSAY_NATS_PASSWORD" secret:"true" doc:"the password of ASSAY_NATS_USER"`
	Credentials     string        `env:"ASSAY_NATS_CREDENTIALS" doc:"a NATS credentials file, in the place of a user and password; none by default"`
	Replicas        int           `env:"ASSAY_NATS_REPLICAS" envDefault:"1" doc:"copies of each stream in a NATS cluster: 1, 3 or 5"`
	Sync            string        `env:"ASSAY_NATS_SYNC" doc:"when a message is on the server's disk, which no client can see: always, if its configuration says sync_interval: always, or a time"`
	WorkMaxMessages int64         `env:"ASSAY_WORK_MAX_MESSAGES" envDefault:"1000000" doc:"waiting work events up to which ingest accepts work; above it ingest answers 503, and above nine tenths of it to owners, and sources of the feed, that have 8 waiting"`
	WorkMaxPerOwner int64         `env:"ASSAY_WORK_MAX_PER_OWNER" envDefault:"100000" doc:"waiting work events of one owner, or one source of the feed, up to which ingest accepts work; above it ingest answers 429; 0 for any number"`
	OutcomesMaxAge  time.Duration `env:"ASSAY_OUTCOMES_MAX_AGE" envDefault:"168h" doc:"how long outcomes can be resumed from: 10m or more; 0 for ever"`

	// Work are the streams of work events; nil is one for all of them.
	Work []Work `env:"-"`

	AllowUnsynced      bool `env:"ASSAY_ALLOW_UNSYNCED" doc:"true to accept that a loss of power loses acknowledged events: with one replica on a server that does not sync always, or with persist_mode async"`
	AllowMemory        bool `env:"ASSAY_ALLOW_MEMORY_STREAMS" doc:"true to accept that streams on memory storage lose acknowledged events when the server restarts"`
	AllowFewerReplicas bool `env:"ASSAY_ALLOW_FEWER_REPLICAS" doc:"true to accept streams with fewer replicas than ASSAY_NATS_REPLICAS where no more can be had, and to lower those that have more"`
}

// Validate says which setting is not usable.
func (c Config) Validate() error {
	switch {
	case !slices.Contains([]int{1, 3, 5}, c.Replicas):
		return fmt.Errorf("ASSAY_NATS_REPLICAS is %d: give 1, 3 or 5", c.Replicas)
	case c.WorkMaxMessages < 1:
		return fmt.Errorf("ASSAY_WORK_MAX_MESSAGES is %d: give at least 1", c.WorkMaxMessages)
	case c.WorkMaxPerOwner < 0:
		return fmt.Errorf("ASSAY_WORK_MAX_PER_OWNER is %d: give 0 or more", c.WorkMaxPerOwner)
	case c.OutcomesMaxAge != 0 && c.OutcomesMaxAge < duplicateWindow:
		return fmt.Errorf("ASSAY_OUTCOMES_MAX_AGE is %s: give %s or more, or 0", c.OutcomesMaxAge, duplicateWindow)
	}
	return nil
}

// Bus is a connection to NATS. It is safe for concurrent use.
type Bus struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	cfg     Config
	source  string
	log     zerolog.Logger
	metrics metrics
	work    []*workQueue
	// declares is set on a bus whose process creates the streams.
	declares    bool
	reconciling sync.Mutex
	reconciled  time.Time // when the streams were last declared
	refusals    refusals

	mu        sync.Mutex
	connected context.Context // ends when the connection was lost and is back
	lost      context.CancelFunc
}

// Connect opens the connection and creates or reconciles the streams. source
// is the publishing service, such as "ingest". It returns an error when no
// server answers, or ErrLossy. The caller closes the Bus.
func Connect(ctx context.Context, cfg Config, source string, log zerolog.Logger, reg prometheus.Registerer) (*Bus, error) {
	if err := cfg.synced(cfg.Replicas); err != nil {
		return nil, err
	}
	b, err := Join(cfg, source, log, reg)
	if err != nil {
		return nil, err
	}
	b.declares = true
	if err := b.reconcile(ctx); err != nil {
		b.conn.Close()
		return nil, err
	}
	return b, nil
}

// Join opens the connection and leaves the streams as they are, for those who
// only read them. Of cfg it reads the address and the credentials. reg may be
// nil. The caller closes the Bus.
func Join(cfg Config, source string, log zerolog.Logger, reg prometheus.Registerer) (*Bus, error) {
	b := &Bus{cfg: cfg, source: source, log: log, metrics: newMetrics(reg, source)}
	if cfg.Work == nil {
		b.cfg.Work = defaultWork()
	}
	for _, w := range b.cfg.Work {
		b.work = append(b.work, newWorkQueue(b, w))
	}
	b.connected, b.lost = context.WithCancel(context.Background())
	b.refusals.waiting = map[*waiter]struct{}{}
	options := []nats.Option{
		nats.Name("assay " + source),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		// A connection that was cut without a word is given up after three of them.
		nats.PingInterval(10 * time.Second),
		// Of messages that wait in a subscription. Each worker has one, for which it asks
		// for one message at a time; the client's default takes half a megabyte for each.
		nats.SyncQueueLen(64),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn().Err(err).Msg("NATS connection lost")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { b.reconnected() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.reported(err) }),
	}
	if cfg.User != "" {
		// Replies under a prefix of its own, so that no user needs to read those of others.
		options = append(options, nats.UserInfo(cfg.User, cfg.Password), nats.CustomInboxPrefix("_INBOX."+cfg.User))
	}
	if cfg.Credentials != "" {
		options = append(options, nats.UserCredentials(cfg.Credentials))
	}
	var err error
	if b.conn, err = nats.Connect(cfg.URL, options...); err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w", cfg.URL, err)
	}
	if b.js, err = jetstream.New(b.conn); err != nil {
		b.conn.Close()
		return nil, err
	}
	return b, nil
}

// Check says whether NATS answers and keeps the streams, for readiness.
func (b *Bus) Check(ctx context.Context) (err error) {
	if !b.conn.IsConnected() {
		return errors.New("not connected")
	}
	ctx, settle := b.permitted(ctx, "$JS.API.INFO")
	defer settle(&err)
	_, err = b.js.AccountInfo(ctx)
	return err
}

// connection returns a context that ends when the connection was lost and is back:
// the server has forgotten then what it was asked for before.
func (b *Bus) connection() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.connected
}

func (b *Bus) reconnected() {
	b.log.Info().Msg("NATS connection is back")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost()
	b.connected, b.lost = context.WithCancel(context.Background())
}

// Close sends what is still buffered, acknowledgements included, and closes
// the connection.
func (b *Bus) Close() {
	if err := b.conn.FlushTimeout(5 * time.Second); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		b.log.Warn().Err(err).Msg("NATS connection closed with unsent data")
	}
	b.conn.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost()
}
