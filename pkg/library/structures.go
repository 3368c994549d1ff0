package library

// Structures is the setting of the engine that identifies molecules, in the analyzer.
type Structures struct {
	RDKit bool `env:"ASSAY_RDKIT" envDefault:"false" doc:"whether RDKit determines SMILES and InChI of molecules and draws molecules without coordinates; compiling it, once per ASSAY_ENGINES folder, takes 6 s of CPU time and 400 MB"`
}
