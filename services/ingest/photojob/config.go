package photojob

import (
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
)

// Config contains the settings of photo jobs.
type Config struct {
	Names    photojob.Config
	Platform platform.Config
}
