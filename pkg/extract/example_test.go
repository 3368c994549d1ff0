package extract_test

import (
	"fmt"

	"github.com/assay-project/assay/pkg/extract"
)

func ExampleDetect() {
	kind := extract.Detect([]byte("##TITLE= ethanol\n##JCAMP-DX= 4.24\n"), "ethanol.txt")
	fmt.Println(kind.Type, "-", kind.Finding)
	fmt.Println(extract.Of(kind.Type).Title)
	// Output:
	// Spectrum - the name ends in .txt, but the content is text/plain
	// Spectrum
}

func ExampleFormats() {
	for _, f := range extract.Formats() {
		for _, r := range f.Records {
			fmt.Println(f.Title, r.Name)
		}
	}
	// Output:
	// Reactions rxn
	// Reactions rdf
	// Molecules sdf
	// Molecules mol
	// Molecules smi
	// Spectrum jdx
	// Crystals cif
	// Contacts vcf
}
