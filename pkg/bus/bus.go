// Package bus carries events over NATS JetStream: it declares the streams,
// publishes, and consumes with attempts, backoff and dead letters. It builds on conn
// (requests), durable (streams), fair (priorities, admission) and attempt (limits, log);
// tail builds on it.
//
// The tables are the truth and a message is a hint that can be sent again. So
// everything here is at least once, ids are deterministic, and handlers may run
// twice. An acknowledgement is no fence: NATS accepts that of a stale holder
// too. What keeps two workers apart is the conditional write of lifecycle.
package bus

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus/conn"
	"github.com/assay-project/assay/pkg/bus/durable"
)

// Config names the NATS server and the limits of the streams.
type Config struct {
	URL             string        `env:"ASSAY_NATS_URL,required" doc:"the URL of the NATS server, such as nats://127.0.0.1:4222"`
	User            string        `env:"ASSAY_NATS_USER" use:"often" doc:"the user at the NATS server; none by default"`
	Password        string        `env:"ASSAY_NATS_PASSWORD" secret:"true" use:"often" doc:"the password of ASSAY_NATS_USER"`
	Credentials     string        `env:"ASSAY_NATS_CREDENTIALS" use:"often" doc:"a NATS credentials file, instead of a user and password; none by default"`
	Replicas        int           `env:"ASSAY_NATS_REPLICAS" envDefault:"1" use:"often" doc:"the replicas of each stream in a NATS cluster: 1, 3 or 5"`
	Sync            string        `env:"ASSAY_NATS_SYNC" use:"must" doc:"the sync_interval of the NATS server, which clients cannot read: always, or a duration. With one replica, always or ASSAY_ALLOW_UNSYNCED is required"`
	WorkMaxMessages int64         `env:"ASSAY_WORK_MAX_MESSAGES" envDefault:"1000000" use:"often" doc:"how many work events of an area may be queued before ingest responds 503; above 90 %, only owners and feed sources with fewer than 8 queued events are admitted"`
	WorkMaxPerOwner int64         `env:"ASSAY_WORK_MAX_PER_OWNER" envDefault:"100000" use:"often" doc:"how many work events of one owner or feed source may be queued before ingest responds 429; 0 for no limit"`
	OutcomesMaxAge  time.Duration `env:"ASSAY_OUTCOMES_MAX_AGE" envDefault:"168h" doc:"how long outcome events are kept for subscribers that resume: 10m or more; 0 for ever"`

	// Work are the streams of work events, one for each area.
	Work []Work `env:"-"`
	// Queues are the streams of messages that are no events.
	Queues []Queue `env:"-"`

	AllowUnsynced      bool `env:"ASSAY_ALLOW_UNSYNCED" doc:"true to accept that a power failure can lose acknowledged events: with one replica on a server that does not sync always, or with persist_mode async"`
	AllowMemory        bool `env:"ASSAY_ALLOW_MEMORY_STREAMS" doc:"true to accept that streams on memory storage lose acknowledged events when the server restarts"`
	AllowFewerReplicas bool `env:"ASSAY_ALLOW_FEWER_REPLICAS" doc:"true to accept streams with fewer replicas than ASSAY_NATS_REPLICAS where the cluster is too small, and to lower those that have more"`
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

func (c Config) policy() durable.Policy {
	return durable.Policy{
		Replicas: c.Replicas, Sync: c.Sync,
		AllowUnsynced: c.AllowUnsynced, AllowMemory: c.AllowMemory, AllowFewerReplicas: c.AllowFewerReplicas,
	}
}

// Bus is a connection to NATS with the streams. It is safe for concurrent use.
type Bus struct {
	*conn.Conn
	cfg     Config
	source  string
	log     zerolog.Logger
	metrics metrics
	work    []*workQueue
	// declares is set on a bus whose process creates the streams.
	declares    bool
	reconciling sync.Mutex
	reconciled  time.Time // when the streams were last declared
}

// Connect opens the connection and creates or reconciles the streams. source
// is the publishing service, such as "ingest". It returns an error when no
// server answers, or durable.ErrNotDurable. The caller closes the Bus.
func Connect(ctx context.Context, cfg Config, source string, log zerolog.Logger, reg prometheus.Registerer) (*Bus, error) {
	if err := cfg.policy().Check(); err != nil {
		return nil, err
	}
	b, err := Join(cfg, source, log, reg)
	if err != nil {
		return nil, err
	}
	b.declares = true
	if err := b.reconcile(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Join opens the connection and leaves the streams as they are, for those who
// only read them. Of cfg it reads the address and the credentials. reg may be
// nil. The caller closes the Bus.
func Join(cfg Config, source string, log zerolog.Logger, reg prometheus.Registerer) (*Bus, error) {
	connection, err := conn.Dial(conn.Config{URL: cfg.URL, User: cfg.User, Password: cfg.Password, Credentials: cfg.Credentials, Client: source}, log)
	if err != nil {
		return nil, err
	}
	b := &Bus{Conn: connection, cfg: cfg, source: source, log: log, metrics: newMetrics(reg, source)}
	for _, w := range cfg.Work {
		b.work = append(b.work, newWorkQueue(b, w))
	}
	return b, nil
}
