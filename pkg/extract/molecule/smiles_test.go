package molecule

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
)

// TestSMILESFiles checks which lines of a file are records, and that a written record is read back.
func TestSMILESFiles(t *testing.T) {
	const text = "\ufeffSMILES name\n# a comment\nCCO ethanol absolute\tx\r\n\nc1ccccc1\n[NH4+].[Cl-]\t\tsal ammoniac\nC* |$;R1$| any\n"
	want := []struct{ name, content, smiles string }{
		{"ethanol absolute", "CCO", "CCO"}, {"", "c1ccccc1", "c1ccccc1"}, {"sal ammoniac", "[NH4+].[Cl-]", "[NH4+].[Cl-]"},
		{"any", "C* |$;R1$|", "C*"},
	}
	var again strings.Builder
	for round, text := range []string{text, ""} {
		if round == 1 {
			text = again.String()
		}
		if !HasSMILES([]byte(text)) {
			t.Errorf("%q: got no SMILES, want some", text)
		}
		s := records.NewScanner(strings.NewReader(text), BoundarySMILES(), true)
		n := 0
		for ; ; n++ {
			raw, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			r := ReadSMILES(raw.Bytes)
			if n >= len(want) || r.Name != want[n].name || r.Content != want[n].content || r.Fields[0].Value != want[n].smiles {
				t.Fatalf("round %d, record %d: got %+v, want %+v", round, n, r, want)
			}
			w := bufio.NewWriter(&again)
			if err := errors.Join(WriteSMILES(w, &r, nil), w.Flush()); err != nil {
				t.Fatal(err)
			}
		}
		if n != len(want) {
			t.Errorf("round %d: got %d records, want %d", round, n, len(want))
		}
	}
	for _, other := range []string{"", "hello world\n", ethanol, strings.Replace(ethanol, "ethanol", "CCO", 1), "$RXN\n"} {
		if HasSMILES([]byte(other)) {
			t.Errorf("%q: got SMILES, want none", other)
		}
	}
}

func TestSMILESColumns(t *testing.T) {
	for name, want := range map[string]bool{
		"smiles": true, "SMILES": true, "Canonical_SMILES": true, "isomeric smiles": true, "SMILES String": true,
		"smiles_count": false, "has smiles": false, "structure": false, "": false,
	} {
		if got := IsSMILES(name); got != want {
			t.Errorf("IsSMILES(%q): got %t, want %t", name, got, want)
		}
	}
}
