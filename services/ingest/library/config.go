package library

import (
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/platform"
)

// Config contains the settings of the library.
type Config struct {
	Imports  library.Imports
	Tables   library.Config
	Platform platform.Config
}
