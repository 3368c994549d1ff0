//go:build !noheic

package pixels

import _ "embed"

//go:embed libheif/NOTICE
var libheifNotice string

//go:embed libheif/LICENSE
var libheifLicense string

// heicNotice returns the licenses of the HEIC decoder.
func heicNotice() string { return libheifNotice + "\n" + libheifLicense }
