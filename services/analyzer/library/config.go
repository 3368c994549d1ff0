package library

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/library"
)

// Config holds the settings of library workflows.
type Config struct {
	Pixels    int64         `env:"ASSAY_PIXELS" envDefault:"100000000" doc:"the maximum number of pixels of a library picture that gets thumbnails"`
	Memory    int64         `env:"ASSAY_LIBRARY_MEMORY" envDefault:"2147483648" doc:"the memory in bytes for processing library files concurrently: pictures, web pages, office documents and records; further files wait until enough memory is free"`
	TrashKeep time.Duration `env:"ASSAY_TRASH_KEEP" envDefault:"720h" doc:"the time after which a node in the trash of the library is erased; 0 disables this"`
	Converter string        `env:"ASSAY_CONVERTER" doc:"the converter to PDF for office documents that Assay cannot read or draw itself: soffice to run LibreOffice from PATH, or the URL of a server with the Gotenberg API; empty for none"`

	Imports    library.Imports
	Structures library.Structures
	Tables     library.Config
}

// minMemory is enough for a photo of 50 megapixels.
const minMemory = 1 << 30

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Pixels < 1:
		return fmt.Errorf("ASSAY_PIXELS is %d: must be at least 1", c.Pixels)
	case c.Memory < minMemory:
		return fmt.Errorf("ASSAY_LIBRARY_MEMORY is %d: must be at least %d", c.Memory, minMemory)
	case c.TrashKeep < 0:
		return fmt.Errorf("ASSAY_TRASH_KEEP is %s: must be 0 or more", c.TrashKeep)
	}
	return nil
}
