package spectrum

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// oracle prints what jcampconverter reads from each block of the files that are its arguments, one JSON object a line: the
// number and the sum of the ordinates of each curve. It converts abscissas to ppm, which are therefore not compared.
const oracle = `
const {convert} = require('jcampconverter')
const fs = require('fs')
for (const path of process.argv.slice(1)) {
  const blocks = []
  try {
    for (const entry of convert(fs.readFileSync(path), {noContour: true}).flatten) {
      const curves = (entry.spectra || []).map((s) => s.data && s.data.y || []).filter((y) => y.length > 0)
      blocks.push(curves.map((y) => [y.length, y.reduce((a, b) => a + (isNaN(b) ? 0 : b), 0)]))
    }
  } catch (e) {}
  console.log(JSON.stringify({path, blocks: blocks.filter((b) => b.length > 0)}))
}
`

// TestPublicFiles compares the JCAMP-DX files in the subfolders of the folder ASSAY_SPECTRA with jcampconverter, which node must
// find: the number and the sum of the ordinates of each curve.
func TestPublicFiles(t *testing.T) {
	equal, compared := 0, 0
	for line := range recordstest.Reference(t, "ASSAY_SPECTRA", "node", "-e", oracle) {
		var want struct {
			Path   string
			Blocks [][][2]float64
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		got := curvesOf(t, want.Path)
		for i, block := range want.Blocks {
			for j, curve := range block {
				compared++
				if i < len(got) && j < len(got[i]) && same(got[i][j], curve) {
					equal++
				} else {
					t.Logf("%s: block %d, curve %d: jcampconverter %v, got %v of %d blocks", want.Path, i, j, curve, got[min(i, len(got)-1)], len(got))
				}
			}
		}
	}
	t.Logf("%d of %d curves equal", equal, compared)
	if 100*equal < 90*compared {
		t.Error("want 90 % equal")
	}
}

func same(got, want [2]float64) bool {
	return got[0] == want[0] && math.Abs(got[1]-want[1]) <= 1e-6*math.Abs(want[1])+1e-9
}

// curvesOf returns the number and the sum of the ordinates of each curve of the blocks that have any.
func curvesOf(t *testing.T, path string) (all [][][2]float64) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range readAll(data) {
		s, err := Parse(r.Content)
		if err != nil || len(s.Curves) == 0 {
			continue
		}
		var block [][2]float64
		for _, c := range s.Curves {
			sum := 0.0
			for _, y := range c.Y {
				if finite(y) {
					sum += y
				}
			}
			block = append(block, [2]float64{float64(len(c.Y)), sum})
		}
		all = append(all, block)
	}
	return all
}
