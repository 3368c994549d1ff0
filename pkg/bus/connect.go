package bus

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/event"
)

// Bus is a connection to NATS, which reconnects automatically, and its streams. It is safe for
// concurrent use.
type Bus struct {
	NATS *nats.Conn // requests made directly on it can time out; see WithPermissionErrors
	JS   *JetStream
	*refusals

	source    string
	published *prometheus.CounterVec
	work      map[string]*workQueue // by stream

	cfg       Config
	declares  bool // whether this process declares the streams
	declaring sync.Mutex
	declared  time.Time // time of the last declaration

	mu        sync.Mutex
	connected context.Context // done once the connection has been lost and restored
	lost      context.CancelFunc
}

// Connect opens the connection and creates or reconciles the streams. source is the publishing
// service, such as "ingest". It returns an error if no server responds, and ErrNotDurable
// if the streams could lose acknowledged messages. The caller closes the Bus.
func Connect(ctx context.Context, cfg Config, source string, log zerolog.Logger, reg prometheus.Registerer) (*Bus, error) {
	if err := cfg.synced(cfg.Replicas); err != nil {
		return nil, err
	}
	b, err := Join(cfg, source, log, reg)
	if err != nil {
		return nil, err
	}
	b.declares = true
	if err := b.declare(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Join opens the connection without declaring streams, for programs that only read them. It uses
// the address, the credentials and the work streams of cfg. reg may be nil. It returns an error if
// no server responds. The caller closes the Bus.
func Join(cfg Config, source string, log zerolog.Logger, reg prometheus.Registerer) (*Bus, error) {
	b := &Bus{source: source, cfg: cfg, work: map[string]*workQueue{}, refusals: &refusals{client: source, log: log, waiting: map[*waiter]struct{}{}}}
	b.connected, b.lost = context.WithCancel(context.Background())
	options := []nats.Option{
		nats.Name("assay " + source),
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
		nats.ReconnectHandler(func(*nats.Conn) { b.reconnected() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.reported(err) }),
	}
	if cfg.User != "" {
		// Replies have a prefix for each user, so that no user needs permission to read the
		// replies of others.
		options = append(options, nats.UserInfo(cfg.User, cfg.Password), nats.CustomInboxPrefix("_INBOX."+cfg.User))
	}
	if cfg.Credentials != "" {
		options = append(options, nats.UserCredentials(cfg.Credentials))
	}
	if cfg.InProcess != nil {
		options = append(options, nats.InProcessServer(cfg.InProcess))
	}
	var err error
	if b.NATS, err = nats.Connect(cfg.URL, options...); err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w", userInfo.ReplaceAllString(cfg.URL, "//"), err)
	}
	js, err := jetstream.New(b.NATS)
	if err != nil {
		b.NATS.Close()
		return nil, err
	}
	b.JS = &JetStream{refusals: b.refusals, js: js}
	// The metrics are registered under the service's name, because the services of one process share a registry.
	b.published = promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"service": source}, reg)).NewCounterVec(prometheus.CounterOpts{
		Name: "assay_events_published_total", Help: "Events published, by type and result (ok, refused, error).",
	}, []string{"type", "result"})
	kinds := append(event.Types(), typeDead, typeReplay, AuditType)
	for _, q := range cfg.Queues {
		kinds = append(kinds, q.Type)
	}
	for _, kind := range kinds {
		for _, result := range []string{resultOK, resultRefused, resultError} {
			b.published.WithLabelValues(kind, result)
		}
	}
	for _, w := range cfg.Work {
		b.work[w.Stream] = newWorkQueue(w, cfg, b)
	}
	return b, nil
}

// userInfo matches the users, passwords and tokens in a list of URLs.
var userInfo = regexp.MustCompile(`//[^,]*@`)

// Check returns an error unless NATS responds and has JetStream. It is a readiness check.
func (b *Bus) Check(ctx context.Context) (err error) {
	if !b.NATS.IsConnected() {
		return errors.New("not connected")
	}
	ctx, done := b.call(ctx, "$JS.API.INFO")
	defer done(&err)
	_, err = b.JS.js.AccountInfo(ctx)
	return err
}

// Connected returns a context that is done once the connection has been lost and restored. The
// server has then discarded earlier requests and subscriptions.
func (b *Bus) Connected() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.connected
}

func (b *Bus) reconnected() {
	b.log.Info().Msg("NATS connection restored")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost()
	b.connected, b.lost = context.WithCancel(context.Background())
}

// Close flushes buffered data, including acknowledgements, and closes the
// connection.
func (b *Bus) Close() {
	if err := b.NATS.FlushTimeout(5 * time.Second); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		b.log.Warn().Err(err).Msg("NATS connection closed with unsent data")
	}
	b.NATS.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost()
}
