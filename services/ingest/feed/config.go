package feed

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/ingest/feed/source"
)

// Config contains the settings of the feed.
type Config struct {
	ItemTTL time.Duration `env:"ASSAY_FEED_ITEM_TTL" doc:"lifetime of new items, at least 1h, such as 720h for 30 days; a sweep removes the texts of expired items; 0 keeps items indefinitely"`

	Tables   feed.Config
	Sources  source.Config
	Platform platform.Config
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	if c.ItemTTL != 0 && c.ItemTTL < time.Hour {
		return fmt.Errorf("ASSAY_FEED_ITEM_TTL is %s: must be at least 1h, or 0", c.ItemTTL)
	}
	return c.Sources.Validate()
}
