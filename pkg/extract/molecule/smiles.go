package molecule

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// FormatSMILES is the name of the format of files with one SMILES per line.
const FormatSMILES = "smi"

// SMILES is the name of the field with the SMILES of a line.
const SMILES = "SMILES"

// atomsOrBonds matches the tokens of a SMILES (http://opensmiles.org/opensmiles.html) and RDKit's arrows of coordination bonds.
var atomsOrBonds = regexp.MustCompile(`^(\[[^\[\]\s]+\]|Br|Cl|[BCNOPSFIbcnops*]|[0-9%()=#$:/\\.~@+\-<>])+$`)

// HasSMILES reports whether the first line of a text that begins with head, after comments and a header, is a SMILES.
func HasSMILES(head []byte) bool {
	if HasMolecules(head) {
		return false
	}
	for line := range bytes.Lines(records.WithoutMark(head)) {
		if line = bytes.TrimRight(line, "\r\n"); !outsideSMILES(line) {
			smiles, _ := splitSMILES(string(line))
			word, _, _ := strings.Cut(smiles, " ")
			return atomsOrBonds.MatchString(word)
		}
	}
	return false
}

// BoundarySMILES returns a Boundary that finds the lines with a SMILES.
func BoundarySMILES() records.Boundary {
	return func(line []byte) records.Cut {
		if outsideSMILES(line) {
			return records.Outside
		}
		return records.Ends
	}
}

// outsideSMILES reports whether a line is blank, a comment, or a header, which names the column smiles.
func outsideSMILES(line []byte) bool {
	words := strings.Fields(strings.ToLower(string(line)))
	return len(words) == 0 || strings.HasPrefix(words[0], "#") || strings.Contains(words[0], "smiles")
}

// splitSMILES splits a line into the SMILES, with an extension such as |$R1$|, and the name, which ends at a tab.
func splitSMILES(line string) (smiles, name string) {
	line = strings.TrimSpace(line)
	at := strings.IndexAny(line, " \t")
	if at < 0 {
		return line, ""
	}
	smiles, name = line[:at], strings.TrimSpace(line[at:])
	if strings.HasPrefix(name, "|") {
		if end := strings.IndexByte(name[1:], '|'); end >= 0 {
			smiles, name = smiles+" "+name[:end+2], strings.TrimSpace(name[end+2:])
		}
	}
	name, _, _ = strings.Cut(name, "\t")
	return smiles, strings.TrimSpace(name)
}

// ReadSMILES reads a line with a SMILES and a name. The properties of the molecule are not determined, because this
// package does not parse SMILES.
func ReadSMILES(raw []byte) records.Record {
	line := records.Decode(bytes.TrimRight(raw, "\r\n"))
	r := records.Record{NotDetermined: []string{Formula, Weight, ExactMass, Valid}}
	r.Content, r.Name = splitSMILES(line)
	smiles, _, _ := strings.Cut(r.Content, " ")
	r.Fields.Set(SMILES, smiles)
	return r
}

// WriteSMILES writes a line with the SMILES and the name of a record.
func WriteSMILES(w *bufio.Writer, r *records.Record, _ records.Fields) error {
	return writeLine(w, strings.TrimRight(r.Content+" "+strings.Join(strings.Fields(r.Name), " "), " "))
}

// IsSMILES reports whether the name of a column states that it contains SMILES, as smiles, Canonical_SMILES and
// isomeric smiles do.
func IsSMILES(column string) bool {
	name := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(column))
	switch strings.TrimSuffix(name, "smiles") {
	case name:
		return name == "smilesstring" || name == "smilescode"
	case "", "canonical", "isomeric", "absolute", "connectivity", "parent", "structure", "input", "compound", "molecule", "ligand", "cano", "can", "iso":
		return true
	default:
		return false
	}
}
