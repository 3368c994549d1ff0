package feed

import (
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
)

// Config contains the settings of the feed.
type Config struct {
	Tables   feed.Config
	Platform platform.Config
}
