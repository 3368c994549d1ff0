package spectrum

import (
	"bytes"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Formats returns the formats of files with spectra.
func Formats() []records.Format {
	return []records.Format{{
		Name: "jdx", Media: "chemical/x-jcamp-dx",
		Boundary: Boundary, Read: Read, Draw: draw, Write: records.WriteContent,
		Example: "##TITLE= curve\n##JCAMP-DX= 4.24\n##FIRSTX= 1\n##DELTAX= 1\n##XYDATA= (X++(Y..Y))\n1 5 6 7\n##END=\n",
	}}
}

// HasSpectra reports whether a text that begins with head is a JCAMP-DX file.
func HasSpectra(head []byte) bool {
	return records.BeginsWith(head, "##TITLE=") && bytes.Contains(head, []byte("##JCAMP"))
}

func draw(content string) ([]byte, error) {
	s, err := Parse(content)
	if err != nil {
		return nil, records.NotDrawn(err)
	}
	return records.Drawing(s.SVG())
}
