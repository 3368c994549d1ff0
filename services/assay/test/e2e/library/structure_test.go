package library

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestMoleculesAreIdentified: SMILES, InChI and descriptors are columns of all records of a file; molecules without
// coordinates have drawings; and records without an identifier are counted.
func TestMoleculesAreIdentified(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	c := s.Client(t, system.NewOwner())
	flat := strings.NewReplacer("1.2990", "0.0000", "2.5981", "0.0000", "0.7500", "0.0000").Replace(molecules(101))
	n := file(t, c, "flat.sdf", "", flat+strings.Replace(flat[:strings.Index(flat, "$$$$\n")+len("$$$$\n")], " O   0", " R   0", 1))
	if len(n.Images) != 3 {
		t.Errorf("got %+v, want 3 pictures", n)
	}
	_, p, body := page(t, s.System, n, "filter=inchiKey%20=%20%27LFQSCWFLJHTTHZ-UHFFFAOYSA-N%27&limit=200&fields=smiles")
	if len(p.Records) != 101 || string(p.Records[100].Properties) != `{"smiles":"CCO"}` || p.Incomplete["inchiKey"] != 1 {
		t.Errorf("the filter returned %d records: %s, want 101 with their SMILES, and a record without InChIKey", len(p.Records), body)
	}
	if _, p, body = page(t, s.System, n, "filter=crippenLogP%20%3C%200%20and%20tpsa%20%3D%2020.23%20and%20hBondDonors%20%3D%201&limit=200"); len(p.Records) != 101 {
		t.Errorf("the filter on descriptors returned %d records: %s, want 101", len(p.Records), body)
	}
	for _, index := range []int{0, 100} {
		system.Eventually(t, func() error { // a request for record 100 does not wait long for RDKit
			r, err := c.Record(system.Within(t), n.ID, index)
			var found struct{ SMILES, InChI, InChIKey, StructureEngine string }
			if err == nil {
				err = json.Unmarshal(r.Properties, &found)
			}
			const want = "{CCO InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3 LFQSCWFLJHTTHZ-UHFFFAOYSA-N RDKit 2026.09.1, InChI 1.07.3}"
			if got := fmt.Sprint(found); err == nil && (got != want || len(r.NotDetermined) > 0) {
				err = fmt.Errorf("record %d has the structure %s, not determined: %v; want %s, none", index, got, r.NotDetermined, want)
			}
			return err
		})
	}
	if svg := read(t)(c.RecordImage(system.Within(t), n.ID, 100)); !strings.Contains(svg, "<desc>Coordinates by RDKit") {
		t.Errorf("the drawing is %q, want coordinates by RDKit", svg)
	}
	w, err := c.Workflow(system.Within(t), n.ID)
	engines := ""
	for _, step := range w.Steps {
		engines += step.Engine + "; "
	}
	if err != nil || !strings.Contains(engines, "RDKit 2026.09.1") {
		t.Errorf("the engines are %q, %v; want RDKit", engines, err)
	}
	if w.State != client.LibraryProcessed {
		t.Errorf("the workflow is %+v, want state %s", w, client.LibraryProcessed)
	}
}

// TestIdentitiesAreOptional: without RDKit, the record of a molecule states that SMILES and InChI are not determined.
func TestIdentitiesAreOptional(t *testing.T) {
	s := system.StartServer(t, t.TempDir(), "ASSAY_RDKIT=false").System
	c := s.Client(t, system.NewOwner())
	n := file(t, c, "one.sdf", "", molecule("one", 1))
	r, err := c.Record(system.Within(t), n.ID, 0)
	if err != nil || !slices.Equal(r.NotDetermined, []string{"inchi", "smiles"}) {
		t.Errorf("got %+v, %v; want InChI and SMILES not determined", r, err)
	}
	if _, p, body := page(t, s, n, ""); len(p.Records) != 1 || !slices.Equal(p.Records[0].NotDetermined, []string{"inchi", "smiles"}) {
		t.Errorf("the list is %s, want InChI and SMILES not determined", body)
	}
}

// TestSMILESAreMolecules: lines of SMILES files and rows with a column of SMILES have the properties of molecules, lines
// also a drawing, and an export of them that is imported has the same columns.
func TestSMILESAreMolecules(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	c := s.Client(t, system.NewOwner())
	lines := file(t, c, "two.smi", "", "smiles name\nOCC ethanol\nC[NH3+] ammonium\n")
	if len(lines.Images) != 3 {
		t.Errorf("got %+v, want 3 pictures", lines)
	}
	_, p, body := page(t, s.System, lines, "filter=smiles%20=%20CCO&fields=formula,SMILES")
	if len(p.Records) != 1 || p.Records[0].Name != "ethanol" || string(p.Records[0].Properties) != `{"formula":"C2H6O"}` || string(p.Records[0].Fields) != `{"SMILES":"OCC"}` {
		t.Errorf("the filter returned %s, want ethanol with its formula", body)
	}
	if svg := read(t)(c.RecordImage(system.Within(t), lines.ID, 1)); !strings.Contains(svg, ">N<") || !strings.Contains(svg, ">+<") {
		t.Errorf("the drawing is %q, want the nitrogen and its charge", svg)
	}
	table := file(t, c, "table.csv", "", "id,Canonical_SMILES\n1,OCC\n2,\n3,C1CC\n")
	_, p, body = page(t, s.System, table, "filter=inchiKey%20and%20exactMass%20%3C%2050&fields=smiles,id")
	if len(p.Records) != 1 || string(p.Records[0].Properties) != `{"smiles":"CCO"}` || p.Incomplete["inchiKey"] != 1 {
		t.Errorf("the filter returned %s, want row 1, and a row without InChIKey", body)
	}
	first := read(t)(c.ExportRecords(system.Within(t), lines.ID, client.Export{Format: "csv"}))
	again := file(t, c, "again.csv", "", first)
	if second := read(t)(c.ExportRecords(system.Within(t), again.ID, client.Export{Format: "csv"})); second != first {
		t.Errorf("the second export is %q, want %q as the first one", second, first)
	}
}
