//go:build !noheic

package pixels

import _ "embed"

//go:embed libheif/LICENSE
var libheif string

// heicNotice returns the licenses of the HEIC decoder.
func heicNotice() string {
	return "HEIC is decoded by libheif 1.18.2 and libde265 1.0.15, copyright struktur AG, Dirk Farin and others,\n" +
		"as compiled to WebAssembly in github.com/gen2brain/heic v0.4.5. Build with the tag noheic to leave them out.\n\n" + libheif
}
