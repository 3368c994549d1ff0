package photojob

import (
	"fmt"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
)

// Config holds the settings of photo jobs.
type Config struct {
	Memory int64 `env:"ASSAY_PHOTOJOB_RENDITION_MEMORY" envDefault:"1073741824" doc:"the memory in bytes for drawing renditions of photos concurrently; further requests wait until enough memory is free"`
	Cache  int64 `env:"ASSAY_PHOTOJOB_RENDITION_CACHE" envDefault:"67108864" doc:"the memory in bytes for renditions of photos that have been drawn"`

	Names    photojob.Config
	Platform platform.Config
}

const (
	minMemory = 256 << 20
	maxCache  = 64 << 30
)

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Memory < minMemory:
		return fmt.Errorf("ASSAY_PHOTOJOB_RENDITION_MEMORY is %d: must be at least %d", c.Memory, minMemory)
	case c.Cache < 0 || c.Cache > maxCache:
		return fmt.Errorf("ASSAY_PHOTOJOB_RENDITION_CACHE is %d: must be 0 to %d", c.Cache, int64(maxCache))
	}
	return nil
}
