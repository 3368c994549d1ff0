package molecule

import (
	"bytes"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Ethanol as a molfile, and its oxidation without the product.
const (
	ethanol = "ethanol\n  example\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n" +
		"    0.0000    0.0000    0.0000 C   0  0\n    1.2990    0.7500    0.0000 C   0  0\n    2.5981    0.0000    0.0000 O   0  0\n" +
		"  1  2  1  0\n  2  3  1  0\nM  END\n"
	reaction = "$RXN\noxidation\n\n\n  1  0\n$MOL\n" + ethanol
)

// Molecules returns the formats of files with molecules. The first one that matches is that of an uploaded file.
func Molecules() []records.Format {
	sdf := records.Format{
		Name: "sdf", Media: "chemical/x-mdl-sdfile", Signature: func(head []byte) bool { return !HasSMILES(head) },
		Boundary: BoundarySDF, Read: ReadSDF, Draw: draw, Write: WriteSDF,
		Example: ethanol + "$$$$\n",
	}
	mol := sdf
	mol.Name, mol.Example = "mol", ethanol
	smiles := records.Format{
		Name: FormatSMILES, Media: "chemical/x-daylight-smiles", Signature: HasSMILES,
		Boundary: BoundarySMILES, Read: ReadSMILES, Draw: draw, Write: WriteSMILES,
		Example: "CCO ethanol\n",
	}
	return []records.Format{sdf, mol, smiles}
}

// Reactions returns the formats of files with reactions.
func Reactions() []records.Format {
	return []records.Format{
		{
			Name: "rxn", Media: "chemical/x-mdl-rxnfile", Begins: "$RXN",
			Boundary: records.Single, Read: ReadRXN, Draw: drawReaction, Write: records.WriteContent,
			Example: reaction,
		},
		{
			Name: "rdf", Media: "chemical/x-mdl-rdfile",
			Boundary: BoundaryRDF, Read: ReadRDF, Draw: drawRDF, Header: HeaderRDF, Write: WriteRDF,
			Example: "$RDFILE 1\n$RFMT $RIREG 1\n" + reaction + "$DTYPE YIELD\n$DATUM 5\n",
		},
	}
}

// HasReactions reports whether a text that begins with head contains reactions.
func HasReactions(head []byte) bool {
	return records.BeginsWith(head, "$RXN") || records.BeginsWith(head, "$RDFILE")
}

// HasMolecules reports whether the fourth line of a text that begins with head is the counts line of a molfile.
func HasMolecules(head []byte) bool {
	lines := bytes.SplitN(head, []byte("\n"), 5)
	if len(lines) < 4 {
		return false
	}
	counts := bytes.TrimRight(lines[3], "\r ")
	return bytes.HasSuffix(counts, []byte("V2000")) || bytes.HasSuffix(counts, []byte("V3000"))
}

func draw(content string) ([]byte, error) {
	m, err := Parse([]byte(content))
	if err != nil {
		return nil, records.NotDrawn(err)
	}
	return records.Drawing(m.SVG())
}

func drawReaction(content string) ([]byte, error) {
	x, err := ParseReaction([]byte(content))
	if err != nil {
		return nil, records.NotDrawn(err)
	}
	return records.Drawing(x.SVG())
}

// drawRDF draws the first MOL or RXN block after lines that begin with a dollar sign.
func drawRDF(content string) ([]byte, error) {
	for strings.HasPrefix(content, "$") {
		if strings.HasPrefix(content, "$RXN") {
			return drawReaction(content)
		}
		_, rest, found := strings.Cut(content, "\n")
		if !found {
			break
		}
		content = rest
	}
	return draw(content)
}
