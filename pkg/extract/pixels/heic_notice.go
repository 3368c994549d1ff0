//go:build !noheic

package pixels

import (
	_ "embed"

	"github.com/assay-project/assay/pkg/extract/packed"
)

//go:embed libheif/NOTICE
var libheifNotice string

//go:embed libheif/LICENSE.gz
var libheifLicense []byte

// heicNotice returns the licenses of the HEIC decoder.
func heicNotice() string { return libheifNotice + "\n" + packed.Text(libheifLicense) }
