package bus

import (
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// Config specifies the NATS server and the limits of the streams.
type Config struct {
	URL             string        `env:"ASSAY_NATS_URL,required" doc:"the URL of the NATS server, such as nats://127.0.0.1:4222"`
	User            string        `env:"ASSAY_NATS_USER" use:"often" doc:"the NATS user; default: none"`
	Password        string        `env:"ASSAY_NATS_PASSWORD" secret:"true" use:"often" doc:"the password of ASSAY_NATS_USER"`
	Credentials     string        `env:"ASSAY_NATS_CREDENTIALS" use:"often" doc:"a NATS credentials file, used instead of a user and password; default: none"`
	Replicas        int           `env:"ASSAY_NATS_REPLICAS" envDefault:"1" use:"often" doc:"the replicas of each stream in a NATS cluster: 1, 3 or 5"`
	Sync            string        `env:"ASSAY_NATS_SYNC" use:"must" doc:"the sync_interval of the NATS server, which clients cannot read: always, or a duration. With one replica, always or ASSAY_ALLOW_UNSYNCED is required"`
	WorkMaxMessages int64         `env:"ASSAY_WORK_MAX_MESSAGES" envDefault:"1000000" use:"often" doc:"maximum number of queued work events of an area; above it ingest responds with 503; above 90 %, only owners and sources with fewer than 8 queued events are admitted"`
	WorkMaxPerOwner int64         `env:"ASSAY_WORK_MAX_PER_OWNER" envDefault:"100000" use:"often" doc:"maximum number of queued work events of one owner or source; above it ingest responds with 429; 0 means no limit"`
	OutcomesMaxAge  time.Duration `env:"ASSAY_OUTCOMES_MAX_AGE" envDefault:"168h" doc:"how long outcome events are kept for subscribers that resume: at least 10m; 0 means forever"`

	// InProcess, unless it is nil, opens the connections to the server, which runs in this process. URL is only a name then.
	InProcess nats.InProcessConnProvider `env:"-"`
	// Work lists the streams of work events, one for each area.
	Work []Work `env:"-"`
	// Queues lists the streams of messages other than events.
	Queues []Queue `env:"-"`
	// Logs lists additional streams whose events are retained for subscribers.
	Logs []Log `env:"-"`

	AllowUnsynced      bool `env:"ASSAY_ALLOW_UNSYNCED" doc:"true to accept that a power failure can lose acknowledged events: with one replica on a server that does not sync always, or with persist_mode async"`
	AllowMemory        bool `env:"ASSAY_ALLOW_MEMORY_STREAMS" doc:"true to accept that streams on memory storage lose acknowledged events when the server restarts"`
	AllowFewerReplicas bool `env:"ASSAY_ALLOW_FEWER_REPLICAS" doc:"true to accept streams with fewer replicas than ASSAY_NATS_REPLICAS where the cluster is too small, and to reduce streams that have more replicas"`
}

// Log describes a stream that retains its events for as long as outcomes are kept.
type Log struct {
	Stream      string
	Subjects    string
	Description string
}

// Queue describes a stream from which acknowledged messages are removed.
type Queue struct {
	Stream      string
	Subject     string
	Type        string // of its messages, in metrics
	Description string
}

// duplicateWindow is how long a stream remembers message ids. A worker that
// crashes between publish and acknowledgement repeats its event after one
// lease, well within the window.
const duplicateWindow = 10 * time.Minute

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case !slices.Contains([]int{1, 3, 5}, c.Replicas):
		return fmt.Errorf("ASSAY_NATS_REPLICAS is %d: must be 1, 3 or 5", c.Replicas)
	case c.WorkMaxMessages < 1:
		return fmt.Errorf("ASSAY_WORK_MAX_MESSAGES is %d: must be at least 1", c.WorkMaxMessages)
	case c.WorkMaxPerOwner < 0:
		return fmt.Errorf("ASSAY_WORK_MAX_PER_OWNER is %d: must be 0 or more", c.WorkMaxPerOwner)
	case c.OutcomesMaxAge != 0 && c.OutcomesMaxAge < duplicateWindow:
		return fmt.Errorf("ASSAY_OUTCOMES_MAX_AGE is %s: must be %s or more, or 0", c.OutcomesMaxAge, duplicateWindow)
	}
	return nil
}
