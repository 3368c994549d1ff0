package feed

import (
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/ingest/feed/source"
)

// Config is the settings of the feed.
type Config struct {
	Tables   feed.Config
	Sources  source.Config
	Platform platform.Config
}

// Validate returns an error that names the setting that cannot be used.
func (c Config) Validate() error { return c.Sources.Validate() }
