package feed

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/query/feed/dax"
)

// Config holds the settings for reading the feed.
type Config struct {
	Cache time.Duration `env:"ASSAY_FEED_CACHE" envDefault:"1s" doc:"maximum age of cached feed responses; 0 disables the cache"`

	Tables   feed.Config
	Platform platform.Config
	DAX      dax.Config
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	if c.Cache < 0 {
		return fmt.Errorf("ASSAY_FEED_CACHE is %s: must be 0 or more", c.Cache)
	}
	return c.DAX.Validate()
}
