package library

// Structures is the setting of the engine that identifies molecules, in the analyzer and in query.
type Structures struct {
	RDKit bool `env:"ASSAY_RDKIT" envDefault:"false" doc:"whether RDKit determines SMILES and InChI of molecules, and draws those without coordinates; its compilation, once for each ASSAY_ENGINES, takes 6 s of a processor and 400 MB"`
}
