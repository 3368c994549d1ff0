package molecule_test

import (
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/molecule"
)

func ExampleMolecules() {
	sdf := molecule.Molecules()[0]
	file := strings.NewReader(sdf.Example + sdf.Example)
	for record, err := range sdf.All(file) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(record.Index, record.Name, record.Properties.Get(molecule.Formula))
	}
	// Output:
	// 0 ethanol C2H6O
	// 1 ethanol C2H6O
}
