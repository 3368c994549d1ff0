package library

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestMoleculesAreIdentified: with RDKit, SMILES and InChI are columns of the first 100 records of a file, and are
// determined on request for other records; molecules without coordinates have drawings.
func TestMoleculesAreIdentified(t *testing.T) {
	if err := wasmtest.FillRDKit(wasmtest.Compiled(t).Cache); err != nil {
		t.Fatal(err)
	}
	s := system.StartServer(t, t.TempDir(), "ASSAY_RDKIT=true")
	c := s.Client(t, system.NewOwner())
	flat := strings.NewReplacer("1.2990", "0.0000", "2.5981", "0.0000", "0.7500", "0.0000").Replace(molecules(101))
	n := file(t, c, "flat.sdf", "", flat)
	if len(n.Images) != 3 {
		t.Errorf("got %+v, want 3 pictures", n)
	}
	_, p, body := page(t, s.System, n, "filter=inchiKey%20=%20%27LFQSCWFLJHTTHZ-UHFFFAOYSA-N%27&limit=200&fields=smiles")
	if len(p.Records) != 100 || string(p.Records[99].Properties) != `{"smiles":"CCO"}` {
		t.Errorf("the filter returned %d records: %s, want 100 with their SMILES", len(p.Records), body)
	}
	if _, p, body = page(t, s.System, n, "from=100"); len(p.Records) != 1 || fmt.Sprint(p.Records[0].NotDetermined) != "[inchi smiles]" {
		t.Errorf("the list from record 100 is %s, want InChI and SMILES not determined", body)
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
