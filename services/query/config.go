package query

import (
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/query/feed/dax"
	"github.com/assay-project/assay/services/query/feed/projector"
	"github.com/assay-project/assay/services/query/live"
)

// Config is query's settings.
type Config struct {
	Addr            string        `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8083" doc:"the address of the HTTP API, health and metrics"`
	OperatorAddr    string        `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:8085" doc:"the address of the live events of all owners; anybody who reaches it can read their ids and act for them"`
	DownloadExpires time.Duration `env:"ASSAY_DOWNLOAD_EXPIRES" envDefault:"5m" doc:"how long a presigned download can be started"`
	Waits           int           `env:"ASSAY_WAITS" envDefault:"2000" doc:"how many requests with wait= may wait at once; more get 503"`
	WaitsPerClient  int           `env:"ASSAY_WAITS_PER_CLIENT" envDefault:"1000" doc:"how many of them one client address may make; more get 429. The clients of a proxy share its address"`
	FeedCache       time.Duration `env:"ASSAY_FEED_CACHE" envDefault:"5m" doc:"how long answers about the feed are kept while nothing in them changes; 0 keeps none"`
	Drain           time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long requests in hand may take on shutdown"`

	Exposure  process.Exposure
	Live      live.Config
	Log       obs.Config
	Engines   engine.Config
	TextFile  textfile.Config
	Feed      feed.Config
	DAX       dax.Config
	Projector projector.Config
}

// HTTPAddr is where the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	switch {
	case c.DownloadExpires < time.Second:
		return fmt.Errorf("ASSAY_DOWNLOAD_EXPIRES is %s: give at least 1s", c.DownloadExpires)
	case c.Live.Readers < 1:
		return fmt.Errorf("ASSAY_LIVE_READERS is %d: give at least 1", c.Live.Readers)
	case c.Live.PerClient < 1:
		return fmt.Errorf("ASSAY_LIVE_READERS_PER_CLIENT is %d: give at least 1", c.Live.PerClient)
	case c.Waits < 1:
		return fmt.Errorf("ASSAY_WAITS is %d: give at least 1", c.Waits)
	case c.WaitsPerClient < 1:
		return fmt.Errorf("ASSAY_WAITS_PER_CLIENT is %d: give at least 1", c.WaitsPerClient)
	}
	if c.FeedCache < 0 {
		return fmt.Errorf("ASSAY_FEED_CACHE is %s: give 0 or more", c.FeedCache)
	}
	return errors.Join(c.DAX.Validate(), c.Projector.Validate())
}
