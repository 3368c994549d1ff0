package crystal

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// oracle prints what gemmi reads from each data block of the files that are its arguments, one JSON object a line. A
// file that it rejects has no blocks.
const oracle = `
import gemmi, json, math, sys
for path in sys.argv[1:]:
    try:
        doc = gemmi.cif.read(path)
    except Exception as e:
        print(json.dumps({"path": path, "error": str(e)}))
        continue
    blocks = []
    for block in doc:
        s = gemmi.make_small_structure_from_block(block)
        if block.find_values("_atom_site.Cartn_x"):
            continue
        def column(*tags):
            return next(([gemmi.cif.as_string(v) for v in block.find_values(t)] for t in tags if block.find_values(t)), [])
        stated = column("_space_group_symop_operation_xyz", "_symmetry_equiv_pos_as_xyz")
        hall = column("_space_group_name_Hall", "_symmetry_space_group_name_Hall")
        try:
            if stated:
                group = gemmi.find_spacegroup_by_ops(gemmi.GroupOps([gemmi.Op(v) for v in stated]))
            else:
                group = hall and gemmi.find_spacegroup_by_ops(gemmi.symops_from_hall(hall[0])) or s.find_spacegroup()
        except Exception:
            group = None
        if group:
            s.spacegroup_hm = group.xhm()
            s.setup_cell_images()
        operations = len(stated) or (group and len(list(group.operations()))) or 0
        sites = [x for x in s.sites if not any(math.isnan(v) for v in x.fract.tolist())]
        atoms = 0
        if group and len(sites) == len(s.sites) and len(sites) * operations < 40000 and s.cell.is_crystal():
            atoms = len(s.get_all_unit_cell_sites())
        cell = [s.cell.a, s.cell.b, s.cell.c, s.cell.alpha, s.cell.beta, s.cell.gamma]
        blocks.append({"name": block.name, "cell": [0 if math.isnan(v) else v for v in cell], "crystal": s.cell.is_crystal(),
            "operations": operations, "group": group.hm if group else "", "sites": len(sites), "atoms": atoms})
    print(json.dumps({"path": path, "blocks": blocks}))
`

type oracleBlock struct {
	Name                     string
	Cell                     [6]float64
	Crystal                  bool
	Operations, Sites, Atoms int
	Group                    string
}

// TestPublicFiles compares the CIFs in the subfolders of the folder ASSAY_CRYSTALS with gemmi, whose Python module must be
// installed: the data blocks, the cell, and the numbers of sites, operations and atoms in the cell.
func TestPublicFiles(t *testing.T) {
	count := map[string][2]int{} // equal and compared
	check := func(what, path string, got, want any, equal bool) {
		c := count[what]
		c[1]++
		if equal {
			c[0]++
		} else {
			t.Logf("%s: %s: got %v, gemmi %v", what, path, got, want)
		}
		count[what] = c
	}
	for line := range recordstest.Reference(t, "ASSAY_CRYSTALS", "python3", "-c", oracle) {
		var file struct {
			Path, Error string
			Blocks      []oracleBlock
		}
		if err := json.Unmarshal(line, &file); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		if file.Error != "" {
			all := readAll(data)
			reported := len(all) == 0 || slices.ContainsFunc(all, func(r records.Record) bool { return r.Failed() || r.Properties.Get(Problem) != nil })
			check("rejected files", file.Path, reported, file.Error, reported)
			continue
		}
		compare(check, file.Path, readAll(data), file.Blocks)
	}
	for what, c := range count {
		t.Logf("%s: %d of %d equal", what, c[0], c[1])
		if what != "rejected files" && 100*c[0] < 97*c[1] {
			t.Errorf("%s: want 97 %% equal", what)
		}
	}
}

func compare(check func(what, path string, got, want any, equal bool), path string, got []records.Record, want []oracleBlock) {
	blocks := map[string]*records.Record{}
	for i := range got {
		blocks[got[i].Name] = &got[i]
	}
	for _, w := range want {
		r := blocks[w.Name]
		if check("blocks", path, got, w.Name, r != nil && !r.Failed()); r == nil || r.Failed() {
			continue
		}
		number := func(name string) float64 {
			v, _ := json.Marshal(r.Properties.Get(name))
			var n float64
			_ = json.Unmarshal(v, &n)
			return n
		}
		if !w.Crystal {
			check("no cell", path, r.Properties.Get(Volume), w.Cell, r.Properties.Get(Volume) == nil)
			continue
		}
		for i, name := range []string{A, B, C, Alpha, Beta, Gamma} {
			check("cell", path+" "+w.Name, number(name), w.Cell[i], math.Abs(number(name)-w.Cell[i]) < 1e-9)
		}
		check("sites", path+" "+w.Name, number(Sites), w.Sites, number(Sites) == float64(w.Sites))
		check("operations", path+" "+w.Name, number(Operations), w.Operations, number(Operations) == float64(w.Operations))
		if w.Atoms > 0 && w.Operations > 0 {
			check("cellAtoms", path+" "+w.Name, number(CellAtoms), w.Atoms, number(CellAtoms) == float64(w.Atoms))
		}
	}
}
