package library

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// recordTables: the loops of a crystal and the points of a spectrum are tables; a crystal that states only its space group has
// the operations of the group.
func recordTables(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	halite := file(t, c, "halite.cif", "", "data_NaCl\n_symmetry_space_group_name_H-M 'F m -3 m'\n_cell_length_a 5.64\n_cell_length_b 5.64\n_cell_length_c 5.64\n"+
		"loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nNa1 0 0 0\nCl1 0.5000(1) 0.5 0.5\n")
	r, err := c.Record(system.Within(t), halite.ID, 0)
	if err != nil || !strings.Contains(string(r.Properties), `"symmetryOperations":192`) || !strings.Contains(string(r.Properties), `"cellAtoms":8`) {
		t.Errorf("got %+v, %v; want 192 operations and 8 atoms", r, err)
	}
	tables, err := c.RecordTables(system.Within(t), halite.ID, 0)
	if err != nil || len(tables) != 1 || tables[0].Name != "_atom_site" || tables[0].Rows != 2 || !slices.Contains(tables[0].Columns, "_atom_site_fract_z") {
		t.Errorf("got %+v, %v; want the loop of sites", tables, err)
	}
	sites := "_atom_site_label,_atom_site_fract_x,_atom_site_fract_y,_atom_site_fract_z\r\nNa1,0,0,0\r\nCl1,0.5000(1),0.5,0.5\r\n"
	if got := read(t)(c.RecordTable(system.Within(t), halite.ID, 0, 0)); got != sites {
		t.Errorf("got %q, want %q", got, sites)
	}
	curve := file(t, c, "curve.jdx", "", "##TITLE= curve\n##JCAMP-DX= 4.24\n##XUNITS= NM\n##FIRSTX= 1\n##DELTAX= 0.5\n##XYDATA= (X++(Y..Y))\n1 5 -6\n##END=\n")
	if got := read(t)(c.RecordTable(system.Within(t), curve.ID, 0, 0)); got != "X (NM),Y\r\n1,5\r\n1.5,-6\r\n" {
		t.Errorf("got %q, want the points", got)
	}
	text := file(t, c, "rows.csv", "", "a,b\n1,2\n")
	if tables, err := c.RecordTables(system.Within(t), text.ID, 0); err != nil || len(tables) > 0 {
		t.Errorf("got %+v, %v; want no tables of a row", tables, err)
	}
	for _, path := range []string{"/tables/1", "/tables/-1", "/tables/x"} {
		if resp, body := request(t, s, http.MethodGet, "/v1/library/files/"+halite.ID+"/records/0"+path, halite.OwnedBy, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want 404", path, resp.StatusCode, body)
		}
	}
}
