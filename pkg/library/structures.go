package library

// Structures is the setting of the engine that identifies molecules, in the analyzer.
type Structures struct {
	RDKit bool `env:"ASSAY_RDKIT" envDefault:"true" doc:"whether RDKit determines identifiers and descriptors of molecules, reads SMILES, and draws molecules without coordinates; it takes about 7 ms of CPU time per molecule and 80 MB; compiling it, once per ASSAY_ENGINES folder, takes 6 s of CPU time and 400 MB"`
}
